// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

namespace caf::rosia::detail {

/// Bytes that were read from a socket, and not consumed yet. Tests:
/// test/compat/io/process_network_test.cpp.
class input_buffer {
public:
  /// Minimum size of the buffer, for one read.
  static constexpr std::size_t least = 64 * 1024;

  std::string_view bytes() const noexcept {
    return {memory_.get() + begin_, end_ - begin_};
  }

  /// Removes the first `n` bytes.
  void take(std::size_t n) noexcept {
    begin_ += n;
    if (begin_ == end_)
      begin_ = end_ = 0;
  }

  /// Returns room for more bytes, so that at least `needed` bytes fit in total.
  /// Its memory is not touched before bytes arrive.
  std::span<char> room(std::size_t needed) {
    auto size = end_ - begin_;
    needed = std::max({needed, least, size + 1});
    if (needed > capacity_) {
      auto memory = std::make_unique_for_overwrite<char[]>(needed);
      if (size > 0)
        std::memcpy(memory.get(), memory_.get() + begin_, size);
      memory_ = std::move(memory);
      capacity_ = needed;
      begin_ = 0;
      end_ = size;
    } else if (begin_ + needed > capacity_) {
      std::memmove(memory_.get(), memory_.get() + begin_, size);
      begin_ = 0;
      end_ = size;
    }
    return {memory_.get() + end_, capacity_ - end_};
  }

  /// Adds the first `n` bytes of `room`.
  void add(std::size_t n) noexcept {
    end_ += n;
  }

private:
  std::unique_ptr<char[]> memory_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

} // namespace caf::rosia::detail
