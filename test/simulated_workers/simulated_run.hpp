// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "simulated_workers/costs.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace simulated_workers {

/// The figures of a run. Times in nanoseconds.
struct figures {
  std::size_t workers = 0;
  /// All work of the nodes.
  std::int64_t work = 0;
  /// The longest path through the work.
  std::int64_t span = 0;
  /// The time of the run.
  std::int64_t duration = 0;
  /// In the second half of the work, when executors have formed: the speed-up
  /// against the work alone.
  double speedup = 0;

  // The speed-ups that would be left if only these were lost. Each includes the
  // previous one. The rest is lost by waiting for promises.

  /// Imbalance: workers are idle because of the order of the work.
  double with_imbalance = 0;
  /// Executors that are too large: one worker executes their nodes while
  /// another is idle.
  double with_executors = 0;
  /// Hand-overs, wake-ups and events, by their fixed costs.
  double with_costs = 0;

  /// Returns the number of executions that are ready on average, for each
  /// worker.
  double ready() const {
    return static_cast<double>(work) / static_cast<double>(span)
           / static_cast<double>(workers);
  }

  /// Returns the greatest possible speed-up.
  double bound() const;

  /// Returns a line with all figures.
  std::string text() const;

  friend bool operator==(const figures&, const figures&) = default;
};

/// Runs a graph as an application on simulated workers.
/// @param spec see `bench::parse_graph_spec`.
/// @throws std::runtime_error if the nodes' results differ from those of a
///         sequential event queue.
figures simulate(const std::string& spec, std::size_t workers,
                 const costs& prices = {});

} // namespace simulated_workers
