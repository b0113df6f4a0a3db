// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace caf::rosia::detail {

/// The head of a frame of Rosia's protocol, which may precede and follow frames
/// of CAF's protocol: a byte with which no frame of CAF begins, and the size of
/// the rest, the highest byte first. Tests:
/// test/compat/io/process_network_test.cpp.
struct frame_head {
  static constexpr std::size_t size = 5;
  static constexpr char mark = '\x80';

  /// @param bytes the bytes after a complete frame.
  static bool begins(std::string_view bytes) noexcept {
    return !bytes.empty() && bytes.front() == mark;
  }

  /// @pre `bytes` begins with a complete head. @returns the size of the rest.
  static std::uint32_t read(std::string_view bytes) noexcept {
    std::uint32_t result = 0;
    for (auto c : bytes.substr(1, size - 1))
      result = result << 8 | static_cast<std::uint8_t>(c);
    return result;
  }

  static std::array<char, size> write(std::uint32_t n) noexcept {
    return {mark, static_cast<char>(n >> 24), static_cast<char>(n >> 16),
            static_cast<char>(n >> 8), static_cast<char>(n)};
  }
};

} // namespace caf::rosia::detail
