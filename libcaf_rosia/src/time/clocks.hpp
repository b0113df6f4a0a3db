// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace caf::rosia::detail {

/// The difference between the clocks that other processes see and this
/// machine's, in nanoseconds. A drill can set it to simulate another host.
inline std::atomic<std::int64_t> clocks_ahead_of_machine{0};

inline std::int64_t clocks_ahead() noexcept {
  return clocks_ahead_of_machine.load(std::memory_order_relaxed);
}

inline void set_clocks_ahead(std::int64_t ns) noexcept {
  clocks_ahead_of_machine.store(ns, std::memory_order_relaxed);
}

/// Returns the time of a clock, in nanoseconds.
template <class Clock>
std::int64_t now_by() {
  return std::chrono::nanoseconds{Clock::now().time_since_epoch()}.count();
}

/// Returns the time of a clock as other processes see it.
template <class Clock>
std::int64_t shown_by() {
  return now_by<Clock>() + clocks_ahead();
}

} // namespace caf::rosia::detail
