// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/binary_serializer.hpp>
#include <caf/detail/type_traits.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace caf::rosia::detail {

/// FNV-1a over `size` bytes.
std::uint64_t hash_bytes(const void* data, std::size_t size) noexcept;

/// A number that is the same wherever the same payload is sent: the hash of
/// what CAF would put on the wire; none for types that CAF cannot serialise.
template <class T>
std::optional<std::uint64_t> digest(const T& x) {
  if constexpr (caf::detail::is_serializable<T>::value) {
    std::vector<char> buffer;
    caf::binary_serializer sink{nullptr, buffer};
    if (auto err = sink(x))
      return std::nullopt;
    return hash_bytes(buffer.data(), buffer.size());
  } else {
    return std::nullopt;
  }
}

} // namespace caf::rosia::detail
