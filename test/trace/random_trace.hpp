// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "trace/trace_text.hpp"

#include <cstdint>

namespace trace_test {

/// The features of a random trace, for checking that all kinds occur.
struct random_features {
  bool by_itself = false;
  bool by_request = false;
  bool two_rounds = false;
  bool stop_after = false;
  bool by_abort = false;
  bool loop = false;
  bool outside = false;
  bool physical = false;
  bool done_before_final = false;
};

/// Returns a trace that keeps all rules: a random graph with timers, reactions
/// that yield, loops, delays, physical actions and connections, run by a
/// sequential simulator, whose lines are then mixed as by threads.
trace random_trace(std::uint64_t seed, random_features* features = nullptr);

} // namespace trace_test
