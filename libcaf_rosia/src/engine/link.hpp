// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <cstdint>

namespace caf::rosia::engine {

/// The state that both ends of a connection within one process share. One end
/// writes, the other reads; each field except `sender_waits` has one writer.
struct alignas(16) link {
  /// How many messages the receiver has executed, or taken in and dropped.
  std::atomic<std::uint64_t> executed{0};

  /// Physical connections: how many values wait to be executed.
  std::atomic<std::uint32_t> waiting{0};

  /// Back-pressure holds the sender until `executed` grows. The thread that
  /// resets the flag wakes the sender.
  std::atomic<bool> sender_waits{false};

  /// The receiver has left: further messages have no effect.
  std::atomic<bool> gone{false};
};

} // namespace caf::rosia::engine
