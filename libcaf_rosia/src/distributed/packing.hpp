// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace caf::rosia::detail {

/// Appends numbers to a string, small ones in few bytes: seven bits a byte, the
/// lowest first. The eighth bit is set if more bytes follow (LEB128, as in
/// DWARF's standard). Tests: test/distributed/packing_test.cpp.
class packer {
public:
  /// @param to must outlive this object.
  explicit packer(std::string& to) noexcept : bytes_(to) {
    // nop
  }

  void put(std::uint64_t x) {
    char encoded[16];
    std::size_t size = 0;
    for (; x > 0x7f; x >>= 7)
      encoded[size++] = static_cast<char>(x | 0x80);
    encoded[size++] = static_cast<char>(x);
    bytes_.append(encoded, size);
  }

  /// Writes a tag as its distance from `base`, which is usually small.
  void put(logical_time x, logical_time base) {
    auto distance
      = static_cast<std::uint64_t>(x.ns) - static_cast<std::uint64_t>(base.ns);
    put(distance << 1 ^ (distance >> 63 == 0 ? 0 : ~std::uint64_t{0}));
    put(x.microstep);
  }

private:
  std::string& bytes_;
};

/// Reads the output of a `packer`, or any other bytes. Tests:
/// test/distributed/packing_test.cpp.
class unpacker {
public:
  /// @param bytes must outlive this object.
  explicit unpacker(std::string_view bytes) noexcept : rest_(bytes) {
    // nop
  }

  /// Returns the number of bytes left to read.
  std::size_t left() const noexcept {
    return rest_.size();
  }

  /// Returns whether all values read until now were complete and in range.
  bool ok() const noexcept {
    return ok_;
  }

  /// Reads a number. @returns 0 if there is none in the range of `T`.
  template <std::unsigned_integral T>
  T get() noexcept {
    std::uint64_t result = 0;
    for (unsigned shift = 0;; shift += 7) {
      if (rest_.empty() || shift > 63)
        return fail<T>();
      auto byte = static_cast<std::uint8_t>(rest_.front());
      rest_.remove_prefix(1);
      auto bits = static_cast<std::uint64_t>(byte & 0x7f);
      if (shift == 63 && bits > 1)
        return fail<T>();
      result |= bits << shift;
      if ((byte & 0x80) == 0)
        break;
    }
    if (result > std::numeric_limits<T>::max())
      return fail<T>();
    return static_cast<T>(result);
  }

  logical_time get(logical_time base) noexcept {
    auto folded = get<std::uint64_t>();
    auto distance = folded >> 1 ^ ((folded & 1) == 0 ? 0 : ~std::uint64_t{0});
    auto ns = static_cast<std::uint64_t>(base.ns) + distance;
    return {static_cast<std::int64_t>(ns), get<std::uint32_t>()};
  }

private:
  template <class T>
  T fail() noexcept {
    rest_ = {};
    ok_ = false;
    return 0;
  }

  std::string_view rest_;
  bool ok_ = true;
};

} // namespace caf::rosia::detail
