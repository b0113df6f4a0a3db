// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_drill/fault.hpp"
#include "rosia_drill/storm.hpp"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace rosia_drill {

/// A fault of a round: its specification, the choices of the seed, and its
/// progress.
struct planned_fault {
  /// Owned by the drill, which must outlive this object.
  const fault* spec;
  /// Identifies the fault in messages between the tool and processes.
  std::string number;
  /// Nanoseconds, or the number of the step, depending on the injection point.
  std::int64_t where = 0;
  /// The gusts of a storm.
  std::vector<gust> gusts;

  // -- progress ---------------------------------------------------------------

  /// Number of matching steps so far.
  std::int64_t steps = 0;
  /// Whether the fault has begun, or must not be begun by the tool.
  bool begun = false;
  bool happened = false;
  /// Whether its target is unknown.
  bool refused = false;
  /// Whether the storm sent the coordinator a signal to end.
  bool end_requested = false;

  fault_place place() const {
    return describe(spec->kind).where;
  }

  /// Returns whether the node's process detects the injection point by itself,
  /// because it is a point of that node.
  bool is_left_to_node() const;
};

/// Makes the random choices for all faults.
std::vector<planned_fault> plan_faults(
  const std::vector<fault>& faults, std::mt19937_64& random);

} // namespace rosia_drill
