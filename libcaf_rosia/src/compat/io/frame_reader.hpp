// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace caf::rosia::detail {

/// Reads the data of frames of CAF's protocol. If something is missing, all
/// later calls fail. Tests: test/compat/io/frame_checker_test.cpp.
class frame_reader {
public:
  explicit frame_reader(std::string_view bytes) : rest_(bytes) {
    // nop
  }

  bool ok() const noexcept {
    return ok_;
  }

  std::string_view rest() const noexcept {
    return rest_;
  }

  std::string_view bytes(std::size_t size) {
    if (size > rest_.size()) {
      fail();
      return {};
    }
    auto result = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return result;
  }

  template <std::unsigned_integral T>
  T number() {
    T result = 0;
    for (auto c : bytes(sizeof(T)))
      result = static_cast<T>(result << 8 | static_cast<std::uint8_t>(c));
    return result;
  }

  /// Reads the number of elements of a list, or of bytes of a text.
  std::size_t size() {
    std::uint64_t result = 0;
    for (unsigned shift = 0; shift <= 28; shift += 7) {
      auto byte = number<std::uint8_t>();
      result |= std::uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80) == 0)
        return result;
    }
    fail();
    return 0;
  }

  /// Reads the name of a process. It is shorter than a usual name if it stands
  /// for no process.
  std::string_view node();

private:
  void fail() noexcept {
    ok_ = false;
    rest_ = {};
  }

  std::string_view rest_;
  bool ok_ = true;
};

} // namespace caf::rosia::detail
