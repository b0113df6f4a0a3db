// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"

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

  /// The arrival of the first one. @pre `!empty()`
  logical_time first_arrival() const noexcept {
    return first_arrival_;
  }

  /// A message has become the last one of the batch, whose size is `end`.
  void add(std::size_t end, logical_time arrival) noexcept {
    if (empty())
      first_arrival_ = arrival;
    end_ = static_cast<std::uint32_t>(end);
  }

  void clear() noexcept {
    end_ = 0;
  }

private:
  std::uint32_t end_ = 0;
  logical_time first_arrival_ = never;
};

} // namespace caf::rosia::engine
