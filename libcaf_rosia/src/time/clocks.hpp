// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace caf::rosia::detail {

/// How far the clocks that other processes see are ahead of this machine's, in
/// nanoseconds: a drill can make them differ, as those of another host do.
inline std::atomic<std::int64_t> clocks_ahead_of_machine{0};

inline std::int64_t clocks_ahead() noexcept {
  return clocks_ahead_of_machine.load(std::memory_order_relaxed);
}

inline void set_clocks_ahead(std::int64_t ns) noexcept {
  clocks_ahead_of_machine.store(ns, std::memory_order_relaxed);
}

/// What a clock shows, in nanoseconds.
template <class Clock>
std::int64_t now_by() {
  return std::chrono::nanoseconds{Clock::now().time_since_epoch()}.count();
}

/// What a clock shows to other processes.
template <class Clock>
std::int64_t shown_by() {
  return now_by<Clock>() + clocks_ahead();
}

} // namespace caf::rosia::detail
