// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "report.hpp"
#include "systems.hpp"

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

namespace bench {

/// Measures Rosia and bare CAF one after the other, as often as `state` says,
/// on one actor system, and reports the medians. Both return seconds.
/// @param unit of the report, and how many of it make a second.
template <class Ours, class Bare>
void run_pairs(benchmark::State& state, Ours&& ours, Bare&& bare, row result,
               const std::string& unit = "ns", double per_second = 1e9) {
  system_scope scope;
  std::vector<double> mine, theirs, ratios;
  for (auto _ : state) {
    mine.push_back(ours(scope.sys) * per_second);
    theirs.push_back(bare(scope.sys) * per_second);
    ratios.push_back(mine.back() / theirs.back());
  }
  result.unit = unit;
  result.value = quantile(mine, 0.5);
  result.reference = quantile(theirs, 0.5);
  result.ratio = quantile(ratios, 0.5);
  report(result);
}

} // namespace bench
