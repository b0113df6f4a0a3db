// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/shutdown/shutdown_report.hpp"

#include <atomic>
#include <cstdint>

namespace caf::rosia::detail {

/// A value that one thread writes while other threads may read it. Implies no
/// order of other accesses. Tests: test/shutdown/rooms_test.cpp.
template <class T>
class shared_value {
public:
  shared_value(T x = {}) noexcept : x_(x) {
    // nop
  }

  shared_value& operator=(T x) noexcept {
    x_.store(x, std::memory_order_relaxed);
    return *this;
  }

  operator T() const noexcept {
    return x_.load(std::memory_order_relaxed);
  }

private:
  std::atomic<T> x_;
};

/// The state of a participant. It is changed under the lock, with one
/// exception: an actor whose exit is requested changes it without the lock, if
/// it waits for no participant and no participant waits for it. All actors of a
/// phase exit at the same time, and would contend for the lock. Tests:
/// test/shutdown/rooms_test.cpp.
class participant_state {
public:
  using state = part_report::state;

  participant_state(state x = state::running) noexcept : x_(encode(x)) {
    // nop
  }

  /// @pre The lock is held, and the state is not left to the actor.
  participant_state& operator=(state x) noexcept {
    x_ = encode(x);
    return *this;
  }

  operator state() const noexcept {
    return decode(x_);
  }

  /// Leaves changes to the actor, which also clears its participant.
  void leave_to_actor() noexcept {
    x_ |= left_to_actor;
  }

  /// Ends `leave_to_actor`. @returns the state. @pre The lock is held.
  state claim() const noexcept {
    return decode(x_.fetch_and(static_cast<std::uint8_t>(~left_to_actor)));
  }

  /// Changes the state in the actor's thread, without the lock.
  /// @returns false if the state is not left to the actor, or is not `from`.
  bool step(state from, state to) noexcept {
    auto expected = static_cast<std::uint8_t>(encode(from) | left_to_actor);
    return x_.compare_exchange_strong(
      expected, static_cast<std::uint8_t>(encode(to) | left_to_actor));
  }

private:
  static constexpr std::uint8_t left_to_actor = 0x80;

  static std::uint8_t encode(state x) noexcept {
    return static_cast<std::uint8_t>(x);
  }

  static state decode(std::uint8_t x) noexcept {
    return static_cast<state>(x & ~left_to_actor);
  }

  mutable std::atomic<std::uint8_t> x_;
};

} // namespace caf::rosia::detail
