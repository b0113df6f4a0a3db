// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <cstdint>

namespace caf::rosia::engine {

/// The positions of the messages of one connection in the batch to its
/// receiver, which other connections may share. Tests:
/// test/engine/outbox_test.cpp.
class unsent_messages {
public:
  bool empty() const noexcept {
    return end_ == 0;
  }

  /// Returns the index of the last message in the batch.
  /// @pre `!empty()`
  std::size_t last() const noexcept {
    return end_ - 1;
  }

  /// Returns the index of the first message.
  /// @pre `!empty()`
  std::size_t first() const noexcept {
    return first_;
  }

  /// Records a message that was appended to the batch, whose size is `end`.
  void add(std::size_t end) noexcept {
    auto index = static_cast<std::uint32_t>(end);
    if (empty())
      first_ = index - 1;
    end_ = index;
  }

  void clear() noexcept {
    end_ = 0;
  }

private:
  std::uint32_t end_ = 0;
  std::uint32_t first_ = 0;
};

} // namespace caf::rosia::engine
