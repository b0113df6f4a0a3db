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

/// A fault of a round: what the drill says, what the seed has decided, and how
/// far it has come.
struct planned_fault {
  /// Of the drill, which outlives it.
  const fault* spec;
  /// Its name in the messages to and from processes.
  std::string number;
  /// Nanoseconds, or which of the steps, as the injection point has it.
  std::int64_t where = 0;
  /// Of a storm.
  std::vector<gust> gusts;

  // -- so far -----------------------------------------------------------------

  /// How many of the steps there were.
  std::int64_t steps = 0;
  /// It need not be begun from here (any more).
  bool begun = false;
  bool happened = false;
  /// It names nobody.
  bool refused = false;
  /// The storm itself has sent the coordinator a signal to end.
  bool end_requested = false;

  fault_place place() const {
    return describe(spec->kind).where;
  }

  /// A process can tell by itself when the fault happens to its node: when the
  /// node gets to the injection point, which is its own.
  bool is_left_to_node() const;
};

/// Decides what the seed decides.
std::vector<planned_fault> plan_faults(
  const std::vector<fault>& faults, std::mt19937_64& random);

} // namespace rosia_drill
