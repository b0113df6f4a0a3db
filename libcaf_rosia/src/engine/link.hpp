// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <cstdint>

namespace caf::rosia::engine {

/// The state that both ends of a connection within one process share. One end
/// writes, the other reads; each field except `sender_waits` has one writer.
/// Tests: test/engine.
struct alignas(16) link {
  /// The number of messages that the receiver executed or dropped.
  std::atomic<std::uint64_t> executed{0};

  /// For physical connections: the number of values that wait.
  std::atomic<std::uint32_t> waiting{0};

  /// Whether back-pressure stops the sender until `executed` grows. The thread
  /// that resets the flag wakes the sender.
  std::atomic<bool> sender_waits{false};

  /// Whether the receiver has left. Further messages have no effect.
  std::atomic<bool> gone{false};
};

} // namespace caf::rosia::engine
