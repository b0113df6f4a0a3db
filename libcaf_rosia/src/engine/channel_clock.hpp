// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"
#include "engine/promise_basis.hpp"

#include <algorithm>
#include <cstdint>

namespace caf::rosia::engine {

/// The logical time of a connection at its sender: the last arrival, the last
/// promise, and the bound that the receiver requested. Section 4 of the
/// semantics; the channel clock of Chandy and Misra. Tests:
/// test/engine/outbox_test.cpp.
class channel_clock {
public:
  // -- messages ---------------------------------------------------------------

  /// Stamps a message that arrives at `earliest` or later. Arrivals on a
  /// connection strictly increase [2.7].
  /// @returns its arrival; `forever` if it never arrives.
  logical_time stamp(logical_time earliest) {
    auto arrival
      = earliest <= last_arrival_ ? next_microstep(last_arrival_) : earliest;
    if (arrival != forever)
      last_arrival_ = arrival;
    return arrival;
  }

  /// Returns the last arrival; `never` if there was none.
  logical_time last_arrival() const noexcept {
    return last_arrival_;
  }

  /// Continues after the last arrival of an earlier run.
  void restore(logical_time last_arrival) noexcept {
    last_arrival_ = last_arrival;
  }

  // -- promises ---------------------------------------------------------------

  /// Stamps a message without delay, sent at `now`, if it can arrive at `now`.
  /// @returns whether it was stamped.
  bool stamp_now(logical_time now) noexcept {
    if (now <= last_arrival_)
      return false;
    last_arrival_ = now;
    return true;
  }

  /// Returns the promise for later messages that follows from a bound.
  logical_time promise_above(logical_time bound) const noexcept {
    return last_arrival_ == never
             ? bound
             : std::max(
               bound, saturating_add(last_arrival_, delay{microsteps(1)}));
  }

  /// Returns the last promise that was sent to the receiver.
  logical_time announced() const noexcept {
    return {announced_ns_, announced_microstep_};
  }

  /// Returns whether a promise without a message is worth a null message [4.8].
  /// The passage of elapsed time alone is not, unless it answers a request.
  bool is_worth_null_message(
    logical_time promise, const promise_basis& basis) const noexcept {
    return !basis.physical || promise > requested_bound()
           || basis.events != basis_events_;
  }

  /// Records that a promise is sent to the receiver.
  void announce(logical_time promise, const promise_basis& basis) noexcept {
    announced_ns_ = promise.ns;
    announced_microstep_ = promise.microstep;
    basis_events_ = basis.events;
    if (promise > requested_bound())
      forget_request();
  }

  // -- bound requests ---------------------------------------------------------

  /// Records that the receiver waits for a promise greater than `bound` [4.11].
  void request(logical_time bound) noexcept {
    // A promise that answers the request may already be in transit.
    if (announced() <= bound)
      set_request(bound);
  }

  /// Records that the receiver no longer waits.
  void forget_request() noexcept {
    set_request(forever);
  }

  /// Returns the requested bound: the receiver waits for a greater promise.
  /// `forever` if there is no request.
  logical_time requested_bound() const noexcept {
    return {requested_ns_, requested_microstep_};
  }

private:
  void set_request(logical_time bound) noexcept {
    requested_ns_ = bound.ns;
    requested_microstep_ = bound.microstep;
  }

  // There may be very many: two tags use the padding of other members.
  [[no_unique_address]] logical_time last_arrival_ = never;
  std::uint32_t announced_microstep_ = 0;
  std::int64_t announced_ns_ = 0;
  [[no_unique_address]] logical_time basis_events_
    = never; // of the last promise
  std::uint32_t requested_microstep_ = forever.microstep;
  std::int64_t requested_ns_ = forever.ns;
};

} // namespace caf::rosia::engine
