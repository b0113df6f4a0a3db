// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "explored_application.hpp"
#include "restorable.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace engine_test {

/// The results of an exploration.
struct findings {
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  std::uint64_t ends = 0;    // states after the end
  std::uint64_t longest = 0; // maximum number of events until the end

  /// The distinct outcomes.
  std::set<fingerprint> outcomes;

  /// Whether there were more states than allowed.
  bool cut_off = false;

  /// The first error, and the path to it.
  std::optional<std::string> mistake;
  std::vector<std::string> path;
};

/// Returns a factory for applications without injected mistakes.
application_factory faultless(const exploration& app);

struct limits {
  std::uint64_t states = ~std::uint64_t{0};

  /// Whether to explore orders that differ only in independent events.
  bool all_orders = false;
};

/// Explores and checks all states that an application can reach.
findings explore(const exploration& app, const application_factory& make,
                 const limits& limit = {});

/// Finds different paths to states with equal fingerprints, continues both with
/// the same random events, and checks that the states stay equal.
/// @returns the number of comparisons.
/// @throws broken_rule if a fingerprint is incomplete.
std::uint64_t compare_futures(
  const application_factory& make, std::uint64_t seed, std::uint64_t walks);

/// Performs random events, sometimes restores an earlier state, and checks that
/// the states equal those of an application with the same events that was never
/// restored.
/// @returns the number of restorations.
/// @throws broken_rule if the states differ.
std::uint64_t compare_restored(
  const application_factory& make, std::uint64_t seed, std::uint64_t walks);

/// Describes an error with its path.
std::string to_string(const findings& x);

} // namespace engine_test
