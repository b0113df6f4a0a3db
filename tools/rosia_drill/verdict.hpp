// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_drill/drill_file.hpp"
#include "rosia_drill/outcome.hpp"
#include "rosia_drill/round_settings.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace rosia_drill {

/// A run without faults for comparisons.
struct undisturbed_run {
  std::filesystem::path trace;
  /// The reason why there is no trace.
  std::string problem;
};

/// Checks the result of a round, or of a round that resumes another, against
/// the expectations.
/// @returns the expectations that do not hold.
std::vector<failed_expectation> judge(
  const drill& definition, const outcome& round,
  const undisturbed_run& undisturbed, const round_settings& settings = {});

} // namespace rosia_drill
