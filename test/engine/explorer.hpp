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

/// What an exploration has found.
struct findings {
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  std::uint64_t ends = 0;    // states in which the application is over
  std::uint64_t longest = 0; // events from the start to an end

  /// The different ones among them.
  std::set<fingerprint> outcomes;

  /// There were more states than allowed.
  bool cut_off = false;

  /// The first mistake, and how to get there.
  std::optional<std::string> mistake;
  std::vector<std::string> path;
};

/// The same with a coordinator and nodes that make no mistakes of their own.
application_factory faultless(const exploration& what);

struct limits {
  std::uint64_t states = ~std::uint64_t{0};

  /// Also what differs only in the order of events that do not concern each
  /// other.
  bool all_orders = false;
};

/// Goes through all states that an application can get into: whatever may
/// happen next, happens. Checks each.
findings explore(const exploration& what, const application_factory& make,
                 const limits& limit = {});

/// Looks for different ways to states with the same fingerprint, lets the same
/// happen from there on at random, and checks that both stay the same.
/// @returns how many were compared.
/// @throws broken_rule if a fingerprint misses something.
std::uint64_t compare_futures(
  const application_factory& make, std::uint64_t seed, std::uint64_t walks);

/// Lets things happen at random, puts the application back to an earlier state
/// now and then, and checks that it is in the same states again as another one
/// to which the same happened from the start.
/// @returns how often it was put back.
/// @throws broken_rule if it is not.
std::uint64_t compare_restored(
  const application_factory& make, std::uint64_t seed, std::uint64_t walks);

/// For a person who looks at a mistake.
std::string to_string(const findings& x);

} // namespace engine_test
