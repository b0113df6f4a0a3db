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

/// What the command line says about all drills.
struct campaign_options {
  /// In place of those of the drill files.
  std::optional<std::uint64_t> rounds;
  std::optional<std::uint64_t> seed;
  /// The number of the first round.
  std::uint64_t first_round = 1;
  /// How many rounds at once.
  std::uint64_t jobs = 1;
  /// Where what is kept goes; empty for a folder of temporary files.
  std::filesystem::path output;
  /// Whether the folders of rounds that held are kept, too.
  bool keep = false;
  /// In addition to those of the drill files.
  std::vector<std::string> arguments;
  /// Where else programs are looked for.
  std::vector<std::filesystem::path> program_folders;
};

/// What became of a drill.
struct drill_result {
  drill definition;
  std::filesystem::path program;
  std::vector<outcome> rounds;
  /// What continues.
  std::filesystem::path program_resumed = {};

  bool held() const;

  std::size_t failed() const;
};

struct campaign_result {
  /// Seconds since the epoch.
  std::int64_t started = 0;
  double seconds = 0;
  std::vector<drill_result> drills;
  /// Rounds that were not run, or not to their end, because somebody wanted
  /// the tool to end.
  std::size_t not_run = 0;
  /// Where the folders of rounds are that were kept.
  std::filesystem::path folder;

  bool held() const;
};

/// Finds a drill's program: a path, or a name, which is looked for in these
/// folders, beside the tool, where the tool's build has the examples, and where
/// the shell would.
/// @throws mistake if it is not there.
std::filesystem::path find_program(
  const std::string& name, const std::vector<std::filesystem::path>& folders);

/// Runs all rounds of all drills, and shows how far it has come on standard
/// error.
/// @param stop set by whoever wants an early end.
/// @throws mistake, std::system_error
campaign_result run_campaign(
  std::vector<drill> drills, const campaign_options& options,
  const std::atomic<bool>& stop);

} // namespace rosia_drill
