// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "ekf.hpp"
#include "log_reader.hpp"
#include "pose.hpp"

namespace localization {

/// The error for an invalid command line.
class usage_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// The program's options.
struct options {
  /// Show only the usage.
  bool help = false;

  /// Replay at the speed at which the robot drove.
  bool realtime = false;

  /// The files of the log; without an odometry file, a log is simulated.
  log_files files;

  /// Seed of the simulated log.
  std::uint64_t seed = 1;

  /// Pose of the robot at the first time stamp.
  pose start;

  /// Parameters of the filter.
  ekf_settings filter;

  /// File for the track, as comma-separated values.
  std::string track_file = "localization.csv";

  /// File for the picture, as SVG.
  std::string picture_file = "localization.svg";

  /// File for checkpoints, and a file of checkpoints to resume from; empty for
  /// none.
  std::string checkpoint_file;
  std::string resumed_file;

  /// Options of CAF and Rosia, such as `--rosia.trace=FILE`.
  std::vector<std::string> caf_arguments;
};

/// Parses a command line, which does not contain the program's name.
/// @throws usage_error if it is invalid.
options parse_options(const std::vector<std::string>& arguments);

/// Returns the text for `--help`.
std::string usage();

/// Returns whether an argument belongs to CAF or Rosia. Their options have a
/// dot in the name, except for those about CAF's configuration as a whole.
bool is_caf_argument(const std::string& argument);

} // namespace localization
