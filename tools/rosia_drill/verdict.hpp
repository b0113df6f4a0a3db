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

/// A run without faults, to compare with.
struct undisturbed_run {
  std::filesystem::path trace;
  /// Why there is none.
  std::string problem;
};

/// Holds a round against what is expected of it, or of one that continues
/// another.
/// @returns what is not so.
std::vector<failed_expectation> judge(
  const drill& definition, const outcome& round,
  const undisturbed_run& undisturbed, const round_settings& settings = {});

} // namespace rosia_drill
