// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/signal_behavior.hpp"

#include <array>
#include <chrono>
#include <cstddef>

namespace caf::rosia::detail {

/// Handles the process's SIGINT, SIGTERM and SIGUSR1, and on request SIGHUP and
/// one of `checkpoint_signals`, as long as it lives. Several may exist at once:
/// each that handles signals receives all of them. When the last one is
/// destroyed, the process has its own handlers back.
///
/// A sender may repeat a signal while the process is ending. So after a signal
/// that ends it, a process without handlers of its own is protected: further
/// signals have no effect for `quiet_time` after the last watch is destroyed.
/// Later ones have their default effect.
///
/// The signal handler counts, and writes to descriptors; nothing else is done
/// in it.
class signal_watch {
public:
  static constexpr std::size_t kinds = 8;

  /// How many can handle signals at once.
  static constexpr std::size_t max_watches = 64;

  static constexpr std::chrono::seconds quiet_time{5};

  /// @param fd becomes readable when a signal has come: an eventfd that
  ///           outlives this. Used only for `signal_behavior::handle`.
  /// @param sighup see `options`.
  /// @param extra one of `checkpoint_signals`; 0 if none. Used only for
  ///              `signal_behavior::handle`.
  /// @throws std::runtime_error if too many handle signals already.
  signal_watch(signal_behavior behavior, int fd, bool sighup = false,
               int extra = 0);

  signal_watch(const signal_watch&) = delete;

  signal_watch& operator=(const signal_watch&) = delete;

  ~signal_watch();

  /// Calls `fun(signal)` for each that has come since the last call. Those of
  /// one kind that come close together may count as one.
  template <class Fun>
  void collect(Fun&& fun) {
    auto counts = take();
    for (std::size_t i = 0; i < kinds; ++i)
      for (; counts[i] > 0; --counts[i])
        fun(signals[i]);
  }

private:
  static const std::array<int, kinds> signals;

  std::array<int, kinds> take();

  /// Whether it is about a kind of signals at all.
  bool concerns(std::size_t kind) const noexcept;

  signal_behavior behavior_;
  bool sighup_;
  int extra_;
  std::size_t slot_ = 0;
};

} // namespace caf::rosia::detail
