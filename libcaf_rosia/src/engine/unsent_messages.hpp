// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <cstdint>

namespace caf::rosia::engine {

/// Where the messages of one connection are in the batch to its receiver, which
/// other connections may share.
class unsent_messages {
public:
  bool empty() const noexcept {
    return end_ == 0;
  }

  /// The index of the last one in the batch. @pre `!empty()`
  std::size_t last() const noexcept {
    return end_ - 1;
  }

  /// The index of the first one. @pre `!empty()`
  std::size_t first() const noexcept {
    return first_;
  }

  /// A message has become the last one of the batch, whose size is `end`.
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
