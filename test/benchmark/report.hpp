// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <sys/resource.h>

// Shared code of the benchmarks: a clock, medians, and the table of results.

namespace bench {

using clock = std::chrono::steady_clock;

inline double seconds_since(clock::time_point start) {
  return std::chrono::duration<double>(clock::now() - start).count();
}

/// Returns the processor time that this process has used.
inline double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  auto seconds = [](const timeval& x) {
    return static_cast<double>(x.tv_sec) + static_cast<double>(x.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Returns the q-quantile of a sample; `quantile(xs, 0.5)` is the median.
inline double quantile(std::vector<double> xs, double q) {
  if (xs.empty())
    return 0;
  std::sort(xs.begin(), xs.end());
  auto index = static_cast<std::size_t>(q * static_cast<double>(xs.size() - 1));
  return xs[index];
}

/// A row of the table.
struct row {
  std::string name;
  std::string quantity;
  double value = 0;
  std::string unit = {};
  std::optional<double> reference = std::nullopt; // bare CAF, in the same unit
  std::optional<double> ratio = std::nullopt;     // median of the pairs
  std::optional<double> limit = std::nullopt;     // of the ratio or the value
  std::string kind = {};                          // of a generated graph
  double nodes = 0;                               // of that graph
};

/// Adds a row, or replaces the row with the same name and meaning.
void report(row x);

/// Results of a run of this program in another process, with a fresh heap:
/// `shape` is "deep", "wide", "bounded" or "bounded_loop".
struct child_result {
  double seconds = 0;
  double bytes = 0; // peak of the resident memory that the run added
  double messages = 0;
  double status = 0;
};

child_result run_child(const std::string& shape, long size);

/// Implements the child process.
int child_main(const std::string& shape, long size);

/// Runs one process of an application of several: the program that `startup`
/// and similar benchmarks start.
int application_main(const std::string& name);

} // namespace bench
