// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "engine/link.hpp"

#include <atomic>
#include <cstdint>
#include <utility>

namespace caf::rosia::engine {

/// Flow control at the receiver of a connection: counts the executed messages,
/// and reports them to the sender. Tests: test/engine/flow_control_test.cpp.
class receive_window {
public:
  /// Returns the number of executed messages.
  std::uint64_t executed() const noexcept {
    return executed_;
  }

  /// Returns whether the sender can see all executed messages.
  bool reported() const noexcept {
    return reported_;
  }

  /// Counts a message.
  /// @returns whether all messages before it were reported.
  bool execute() noexcept {
    ++executed_;
    return std::exchange(reported_, false);
  }

  /// Reports the count to the sender.
  /// @returns whether the caller must wake the sender.
  bool report(link& shared) noexcept {
    reported_ = true;
    // The sender sets `sender_waits` before it reads `executed`.
    shared.executed.store(executed_, std::memory_order_seq_cst);
    return shared.sender_waits.load(std::memory_order_seq_cst)
           && shared.sender_waits.exchange(false);
  }

private:
  std::uint64_t executed_ = 0;
  bool reported_ = true;
};

} // namespace caf::rosia::engine
