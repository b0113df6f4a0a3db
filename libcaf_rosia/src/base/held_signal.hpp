// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

namespace caf::rosia::detail {

/// Prevents a signal for an application from ending the process while it
/// exists: the signal may be sent before there is an application, or after it.
/// A handler of the program stays installed, and handlers of `signal_watch`
/// replace this one while they exist. Several may exist at once. Tests:
/// test/application/exec_main_test.cpp.
class held_signal {
public:
  explicit held_signal(int signal);

  held_signal(held_signal&& other) noexcept;

  held_signal& operator=(held_signal&&) = delete;

  /// Stops holding the signal. Discards it if it arrived and was not taken.
  ~held_signal();

  /// Restores the signal's default effect, and raises the signal if it arrived
  /// and was not taken.
  void release() noexcept;

  /// Holds the signal until the process ends.
  void keep() noexcept {
    signal_ = 0;
  }

  /// Returns whether the signal was held since the last call. Any thread may
  /// call this.
  static bool take(int signal) noexcept;

private:
  int signal_; // 0 if it is no longer held
};

} // namespace caf::rosia::detail
