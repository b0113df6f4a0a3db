// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_drill/campaign.hpp"

#include <filesystem>
#include <string>

namespace rosia_drill {

/// Renders the full result as JSON.
std::string to_json(const campaign_result& x);

/// Renders the rounds as JUnit test cases, for CI.
std::string to_junit(const campaign_result& x);

/// Renders a self-contained page.
std::string to_html(const std::string& json);

/// Writes `report.json`, `report.xml` and `report.html`.
/// @throws std::system_error
void write_reports(const campaign_result& x,
                   const std::filesystem::path& folder);

/// Renders a summary for a terminal.
std::string summary(const campaign_result& x);

/// A round from an earlier report.
struct past_round {
  std::filesystem::path file; // the drill file
  std::filesystem::path program;
  std::vector<std::string> arguments;
  std::uint64_t number = 1;
  std::uint64_t seed = 1;
};

/// Finds a round in a report. @param which `DRILL:ROUND`.
/// @throws mistake if the round does not exist, or the report cannot be read.
past_round find_round(const std::filesystem::path& report,
                      const std::string& which);

} // namespace rosia_drill
