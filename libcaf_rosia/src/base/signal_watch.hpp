// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/signal_behavior.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>

namespace caf::rosia::detail {

/// Handles the process's SIGINT, SIGTERM and SIGUSR1, and on request SIGHUP and
/// one of `checkpoint_signals`, while it exists. Several may exist at once:
/// each one that handles signals receives all of them. When the last one is
/// destroyed, the process has its own handlers again.
///
/// One request for the end often arrives as several signals: a runner relays
/// signals that the terminal sends to all processes, and `timeout` signals the
/// process and its group. So a watch does not count further signals within
/// `same_request_time` after the first SIGINT, SIGTERM or SIGHUP.
///
/// A sender may repeat a signal while the process is ending. So after a signal
/// that ends it, a process without other handlers is protected: further signals
/// have no effect for `quiet_time` after the last watch is destroyed. Later
/// ones have their default effect.
///
/// SIGPIPE and SIGXFSZ have no effect while a watch handles or ignores signals,
/// and during the quiet time: the write returns an error. In programs that the
/// process starts they have their default effect.
///
/// The signal handler only counts, and writes to descriptors. Tests:
/// test/base/signal_watch_test.cpp.
class signal_watch {
public:
  static constexpr std::size_t kinds = 10;

  /// The maximal number of watches that handle signals at once.
  static constexpr std::size_t max_watches = 64;

  static constexpr std::chrono::seconds quiet_time{5};

  static constexpr std::chrono::milliseconds same_request_time{500};

  /// Settings for the whole process that tests change.
  struct test_settings {
    /// Replaces `same_request_time`.
    std::atomic<std::chrono::nanoseconds> same_request_time{
      signal_watch::same_request_time};

    /// Whether a second signal after the end of a run ends the process.
    std::atomic<bool> late_signals_end = true;
  };

  static test_settings for_tests;

  /// @param fd becomes readable when a signal arrives: an eventfd that outlives
  ///   this. Used only for `signal_behavior::handle`.
  /// @param sighup see `options`.
  /// @param extra one of `checkpoint_signals`; 0 if none. Used only for
  ///   `signal_behavior::handle`.
  /// @throws std::runtime_error if too many watches handle signals.
  signal_watch(signal_behavior behavior, int fd, bool sighup = false,
               int extra = 0);

  signal_watch(const signal_watch&) = delete;

  signal_watch& operator=(const signal_watch&) = delete;

  ~signal_watch();

  /// Calls `fun(signal)` for each signal since the last call, except for
  /// repeated requests for the end. Signals of one kind that arrive in quick
  /// succession may count as one.
  template <class Fun>
  void collect(Fun&& fun) {
    auto counts = take();
    for (std::size_t i = 0; i < kinds; ++i)
      for (; counts[i] > 0; --counts[i])
        fun(signals[i]);
  }

private:
  friend class unblocked_signals;

  static const std::array<int, kinds> signals;

  std::array<int, kinds> take();

  /// Returns whether the watch handles or ignores a kind of signals.
  bool concerns(std::size_t kind) const noexcept;

  signal_behavior behavior_;
  bool sighup_;
  int extra_;
  std::size_t slot_ = 0;
};

/// Unblocks the signals that a watch handles while it exists, for the thread
/// that creates and destroys it. The process may have inherited that they are
/// blocked. Tests: test/base/signal_watch_test.cpp.
class unblocked_signals {
public:
  explicit unblocked_signals(const signal_watch& watch) noexcept;

  unblocked_signals(const unblocked_signals&) = delete;

  unblocked_signals& operator=(const unblocked_signals&) = delete;

  ~unblocked_signals();

private:
  sigset_t before_;
};

} // namespace caf::rosia::detail
