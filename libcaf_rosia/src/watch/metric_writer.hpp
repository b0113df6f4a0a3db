// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace caf::rosia::detail {

/// Collects metrics, and writes them in the format of Prometheus. Samples of
/// one name belong together, wherever they come from.
class metric_writer {
public:
  using labels = std::vector<std::pair<std::string, std::string>>;

  /// How many values were no greater than each bound, but greater than the one
  /// before; the last entry of `counts` has those beyond all bounds.
  struct histogram {
    std::vector<double> bounds;
    std::vector<std::uint64_t> counts;
    double sum = 0;
  };

  metric_writer();

  ~metric_writer();

  /// Never decreases. @param name ends with `_total`.
  void add_counter(const char* name, const char* help, labels which, double x);

  void add_gauge(const char* name, const char* help, labels which, double x);

  void add_histogram(const char* name, const char* help, labels which,
                     const histogram& x);

  /// One sample for each of `names`, of which `current` is 1.
  void add_states(const char* name, const char* help, const labels& which,
                  const std::vector<std::string>& names,
                  const std::string& current);

  std::string text() const;

private:
  struct state;

  std::unique_ptr<state> state_;
};

} // namespace caf::rosia::detail
