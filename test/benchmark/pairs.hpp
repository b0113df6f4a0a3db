// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "report.hpp"
#include "systems.hpp"

#include <benchmark/benchmark.h>

#include <string>
#include <utility>
#include <vector>

#include <malloc.h>

namespace bench {

/// Trims the heap, because consolidating the memory freed by one run would take
/// milliseconds of the next run.
inline void tidy_heap() {
  ::malloc_trim(0);
}

/// Measures both functions alternately, as often as `state` says, and reports
/// the medians. Both return seconds.
/// @param per_second number of the row's units in a second.
template <class Ours, class Other>
void run_by_turns(benchmark::State& state, Ours&& ours, Other&& other,
                  row result, double per_second) {
  std::vector<double> mine, theirs, ratios;
  for (auto _ : state) {
    tidy_heap();
    mine.push_back(ours() * per_second);
    tidy_heap();
    theirs.push_back(other() * per_second);
    ratios.push_back(mine.back() / theirs.back());
  }
  result.value = quantile(mine, 0.5);
  result.reference = quantile(theirs, 0.5);
  result.ratio = quantile(ratios, 0.5);
  report(result);
}

/// Measures Rosia and bare CAF alternately on one actor system.
template <class Ours, class Bare>
void run_pairs(benchmark::State& state, Ours&& ours, Bare&& bare, row result,
               const std::string& unit = "ns", double per_second = 1e9) {
  system_scope scope;
  result.unit = unit;
  run_by_turns(
    state, [&] { return ours(scope.sys); }, [&] { return bare(scope.sys); },
    std::move(result), per_second);
}

} // namespace bench
