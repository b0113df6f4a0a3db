// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"
#include "engine/promise_basis.hpp"

#include <algorithm>

namespace caf::rosia::engine {

/// The logical time of a connection at its sender: the last arrival, the last
/// promise, and the bound that the receiver has requested. Section 4 of the
/// semantics; the channel clock of Chandy and Misra.
class channel_clock {
public:
  // -- messages ---------------------------------------------------------------

  /// Stamps a message that arrives at `earliest` at the earliest: arrivals on a
  /// connection ascend. @returns its arrival; `forever` if it never arrives.
  logical_time stamp(logical_time earliest) {
    auto arrival
      = earliest <= last_arrival_ ? next_microstep(last_arrival_) : earliest;
    if (arrival != forever)
      last_arrival_ = arrival;
    return arrival;
  }

  /// The last one; `never` if there was none.
  logical_time last_arrival() const noexcept {
    return last_arrival_;
  }

  /// Goes on after what an earlier run has sent.
  void restore(logical_time last_arrival) noexcept {
    last_arrival_ = last_arrival;
  }

  // -- promises ---------------------------------------------------------------

  /// The same for a message without delay, sent at `now`.
  /// @returns whether it arrives at once; then it is stamped.
  bool stamp_now(logical_time now) noexcept {
    if (now <= last_arrival_)
      return false;
    last_arrival_ = now;
    return true;
  }

  /// The promise that a bound allows for what is still to come.
  logical_time promise_above(logical_time bound) const {
    return last_arrival_ == never
             ? bound
             : std::max(bound, next_microstep(last_arrival_));
  }

  /// The last promise that the receiver was told.
  logical_time announced() const noexcept {
    return announced_;
  }

  /// Tells whether a promise that no message carries is worth a null message.
  /// Elapsed time alone is no reason for one, unless it answers a request.
  bool is_worth_null_message(
    logical_time promise, const promise_basis& basis) const noexcept {
    return !basis.physical || promise > requested_bound_
           || basis.events != basis_events_;
  }

  /// The receiver is told a promise.
  void announce(logical_time promise, const promise_basis& basis) noexcept {
    announced_ = promise;
    basis_events_ = basis.events;
    if (promise > requested_bound_)
      requested_bound_ = forever;
  }

  // -- bound requests ---------------------------------------------------------

  /// The receiver waits for a promise greater than `bound`.
  void request(logical_time bound) noexcept {
    // A promise that answers it may be under way already.
    if (announced_ <= bound)
      requested_bound_ = bound;
  }

  /// The receiver waits for nothing any more.
  void forget_request() noexcept {
    requested_bound_ = forever;
  }

  /// The receiver waits for a promise greater than this; `forever` if it has
  /// requested none.
  logical_time requested_bound() const noexcept {
    return requested_bound_;
  }

private:
  logical_time last_arrival_ = never;
  logical_time announced_{};
  logical_time basis_events_ = never; // of the last promise
  logical_time requested_bound_ = forever;
};

} // namespace caf::rosia::engine
