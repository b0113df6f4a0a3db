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

/// The number of messages after which the sender of a connection to another
/// process requests an ack, at least, and its receiver sends one. With a
/// greater distance at the receiver, a saturated sender would wait in vain.
constexpr std::uint32_t ack_distance(std::uint32_t max_in_flight) noexcept {
  return std::max(max_in_flight / 4, 1u);
}

/// Flow control at the sender of a connection: the messages in flight, which
/// the receiver has not executed, as far as the sender knows. The node's
/// `flow_control` counts the windows that are saturated.
class send_window {
public:
  // -- properties -------------------------------------------------------------

  /// How many messages are in flight.
  std::size_t size() const noexcept {
    return in_flight_.size();
  }

  /// Tells whether the next message has to allocate.
  bool full() const noexcept {
    return in_flight_.full();
  }

  /// How many messages were sent.
  std::uint64_t sent() const noexcept {
    return executed_ + in_flight_.size();
  }

  /// Tells whether so many messages are due before `tag`.
  bool holds_before(logical_time tag, std::size_t limit) const noexcept {
    return in_flight_.size() >= limit && in_flight_[limit - 1] < tag;
  }

  /// How many messages were sent since an ack was requested last, as far as
  /// that can be counted.
  std::uint32_t sent_since_ack_request() const noexcept {
    return sent_since_ack_request_;
  }

  // -- modifiers --------------------------------------------------------------

  void push(logical_time arrival) {
    in_flight_.push(arrival);
    if (sent_since_ack_request_ != ~std::uint32_t{0})
      ++sent_since_ack_request_;
  }

  /// Forgets what was executed: what the receiver has counted, and the first
  /// messages with arrivals below `executed_below`.
  void update(const link& shared, logical_time executed_below);

  /// Nothing is in flight, and what the receiver has executed counts for all
  /// that was sent.
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
  // The arrivals. There may be very many windows: it has room for the next one.
  [[no_unique_address]] fifo<logical_time> in_flight_;
  std::uint32_t sent_since_ack_request_ = 0;
};

} // namespace caf::rosia::engine
