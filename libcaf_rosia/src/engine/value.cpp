// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/detail/value.hpp"

#include "compat/bytes.hpp"

#include <caf/sec.hpp>

#include <vector>

namespace caf::rosia {

namespace engine {

namespace {

/// Computes an FNV-1a hash.
std::uint64_t hash_bytes(const std::vector<char>& x) noexcept {
  constexpr std::uint64_t prime = 0x100000001b3;
  std::uint64_t result = 0xcbf29ce484222325;
  for (auto c : x)
    result = (result ^ static_cast<unsigned char>(c)) * prime;
  return result;
}

} // namespace

caf::error value::save(caf::serializer& to) const {
  return type_->save == nullptr
           ? caf::error{caf::sec::unknown_type}
           : type_->save(to, *this);
}

std::optional<std::uint64_t> value::digest() const {
  std::vector<char> buffer;
  detail::byte_writer sink{buffer};
  try {
    if (save(sink))
      return std::nullopt;
  } catch (...) {
    return std::nullopt;
  }
  return hash_bytes(buffer);
}

} // namespace engine

} // namespace caf::rosia
