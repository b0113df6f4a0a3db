// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <chrono>
#include <cstdint>

namespace caf::rosia::detail {

/// What a clock shows, in nanoseconds.
template <class Clock>
std::int64_t now_by() {
  return std::chrono::nanoseconds{Clock::now().time_since_epoch()}.count();
}

} // namespace caf::rosia::detail
