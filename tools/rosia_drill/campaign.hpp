// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_drill/drill_file.hpp"
#include "rosia_drill/outcome.hpp"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace rosia_drill {

/// The options that apply to all drills.
struct campaign_options {
  /// Replace the values of the drill files.
  std::optional<std::uint64_t> rounds;
  std::optional<std::uint64_t> seed;
  /// The number of the first round.
  std::uint64_t first_round = 1;
  /// Number of rounds that run in parallel.
  std::uint64_t jobs = 1;
  /// The folder for results; empty for a temporary folder.
  std::filesystem::path output;
  /// Whether to keep the folders of successful rounds.
  bool keep = false;
  /// Added to the arguments of the drill files.
  std::vector<std::string> arguments;
  /// Additional folders in which to find programs.
  std::vector<std::filesystem::path> program_folders;
};

/// The result of a drill.
struct drill_result {
  drill definition;
  std::filesystem::path program;
  std::vector<outcome> rounds;
  /// The program that resumes.
  std::filesystem::path program_resumed = {};

  bool held() const;

  std::size_t failed() const;
};

struct campaign_result {
  /// Seconds since the epoch.
  std::int64_t started = 0;
  double seconds = 0;
  std::vector<drill_result> drills;
  /// Number of rounds that were not run, or not completed, because the tool was
  /// interrupted.
  std::size_t not_run = 0;
  /// The folder with the kept folders of rounds.
  std::filesystem::path folder;

  bool held() const;
};

/// Finds a drill's program. A name without a path is searched in these folders,
/// beside the tool, among the examples of the tool's build, and in the PATH.
/// @throws mistake if it does not exist.
std::filesystem::path find_program(
  const std::string& name, const std::vector<std::filesystem::path>& folders);

/// Runs all rounds of all drills, and shows the progress on standard error.
/// @param stop set to end the campaign early.
/// @throws mistake, std::system_error
campaign_result run_campaign(
  std::vector<drill> drills, const campaign_options& options,
  const std::atomic<bool>& stop);

} // namespace rosia_drill
