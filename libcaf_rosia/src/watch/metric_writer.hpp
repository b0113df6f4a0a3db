// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace caf::rosia::detail {

/// Collects metrics, and writes them in the format of Prometheus. Groups the
/// samples of each name, whatever their source. Tests:
/// test/watch/live_page_test.cpp.
class metric_writer {
public:
  using labels = std::vector<std::pair<std::string, std::string>>;

  /// The number of values up to each bound, and above the previous one. The
  /// last entry of `counts` has the values above all bounds.
  struct histogram {
    std::vector<double> bounds;
    std::vector<std::uint64_t> counts;
    double sum = 0;
  };

  metric_writer();

  ~metric_writer();

  /// Adds a metric that never decreases.
  /// @param name ends with `_total`.
  void add_counter(const char* name, const char* help, labels which, double x);

  void add_gauge(const char* name, const char* help, labels which, double x);

  void add_histogram(const char* name, const char* help, labels which,
                     const histogram& x);

  /// Adds one sample for each of `names`; that of `current` is 1, the rest 0.
  void add_states(const char* name, const char* help, const labels& which,
                  const std::vector<std::string>& names,
                  const std::string& current);

  std::string text() const;

private:
  struct state;

  std::unique_ptr<state> state_;
};

} // namespace caf::rosia::detail
