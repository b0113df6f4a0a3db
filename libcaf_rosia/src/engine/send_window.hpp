// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"
#include "engine/fifo.hpp"
#include "engine/link.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace caf::rosia::engine {

/// Returns the minimal number of messages between two ack requests of a sender
/// to another process, and between two acks of its receiver. With a greater
/// distance at the receiver, a saturated sender would wait forever.
constexpr std::uint32_t ack_distance(std::uint32_t max_in_flight) noexcept {
  return std::max(max_in_flight / 4, 1u);
}

/// Flow control at the sender of a connection: the messages in flight, which
/// the receiver has not executed, as far as the sender knows. The node's
/// `flow_control` counts the saturated windows. Tests:
/// test/engine/flow_control_test.cpp.
class send_window {
public:
  // -- properties -------------------------------------------------------------

  /// Returns the number of messages in flight.
  std::size_t size() const noexcept {
    return in_flight_.size();
  }

  /// Returns whether the next message must allocate.
  bool full() const noexcept {
    return in_flight_.full();
  }

  /// Returns the number of sent messages.
  std::uint64_t sent() const noexcept {
    return executed_ + in_flight_.size();
  }

  /// Returns whether at least `limit` messages are due before `tag` [4.19].
  /// Only earlier messages hold a sender, so the globally earliest event is
  /// never held [4.21].
  bool holds_before(logical_time tag, std::size_t limit) const noexcept {
    return in_flight_.size() >= limit && in_flight_[limit - 1] < tag;
  }

  /// Returns the number of messages since the last ack request; the counter
  /// saturates.
  std::uint32_t sent_since_ack_request() const noexcept {
    return sent_since_ack_request_;
  }

  // -- modifiers --------------------------------------------------------------

  void push(logical_time arrival) {
    in_flight_.push(arrival);
    if (sent_since_ack_request_ != ~std::uint32_t{0})
      ++sent_since_ack_request_;
  }

  /// Removes executed messages: those that the receiver counted, and the first
  /// messages with arrivals below `executed_below`.
  void update(const link& shared, logical_time executed_below);

  /// Empties the window, and sets the number of executed messages.
  void restart(std::uint64_t executed) {
    in_flight_.clear();
    executed_ = executed;
    sent_since_ack_request_ = 0;
  }

  void ack_requested() noexcept {
    sent_since_ack_request_ = 0;
  }

private:
  std::uint64_t executed_ = 0;
  // The arrivals. There may be very many windows: the next member uses its
  // padding.
  [[no_unique_address]] fifo<logical_time> in_flight_;
  std::uint32_t sent_since_ack_request_ = 0;
};

} // namespace caf::rosia::engine
