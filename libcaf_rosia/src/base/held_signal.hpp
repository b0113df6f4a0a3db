// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

namespace caf::rosia::detail {

/// While it lives, a signal that asks an application for something does not end
/// the process: whoever sends it may do so before there is an application, or
/// after that. A handler of the program is left alone, and those of
/// `signal_watch` replace this one while they live. Several may exist at once.
class held_signal {
public:
  explicit held_signal(int signal);

  held_signal(held_signal&& other) noexcept;

  held_signal& operator=(held_signal&&) = delete;

  /// What nobody has taken is forgotten.
  ~held_signal();

  /// Lets the signal have its default effect again, also if it has come in the
  /// meantime and nobody has taken it.
  void release() noexcept;

  /// Holds the signal until the process ends.
  void keep() noexcept {
    signal_ = 0;
  }

  /// Tells whether the signal has come since this was called last, and was
  /// held. From any thread.
  static bool take(int signal) noexcept;

private:
  int signal_; // 0 once it is not held any more
};

} // namespace caf::rosia::detail
