// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_drill/drill_file.hpp"
#include "rosia_drill/outcome.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace rosia_drill {

/// A run without faults, to compare with.
struct undisturbed_run {
  std::filesystem::path trace;
  /// Why there is none.
  std::string problem;
};

/// Holds a round against what is expected.
/// @returns what is not so.
std::vector<failed_expectation> judge(
  const drill& definition, const outcome& round,
  const undisturbed_run& undisturbed);

} // namespace rosia_drill
