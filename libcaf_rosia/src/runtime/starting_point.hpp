// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/inspect.hpp"
#include "caf/rosia/logical_time.hpp"

#include <cstdint>
#include <string>

namespace caf::rosia::detail {

/// The point at which a run starts, and what it repeats. The coordinator
/// chooses it for all processes. Tests: test/application/checkpoint_test.cpp,
/// test/distributed/processes_test.cpp.
struct starting_point {
  /// The checkpoint to resume from: the name of its run, empty if the run
  /// starts from the beginning, and its tag.
  std::string resumed_run;
  logical_time resumed_at = never;

  /// The number of the run, greater than those of all runs that it continues.
  std::int64_t number = 1;

  /// The identifier of the recorded run that is replayed; empty if none.
  std::string replayed_run;

  bool resumes() const noexcept {
    return !resumed_run.empty();
  }
};

template <class Inspector>
auto inspect(Inspector& f, starting_point& x) {
  return inspect_members(
    f, x, x.resumed_run, x.resumed_at, x.number, x.replayed_run);
}

} // namespace caf::rosia::detail
