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

/// A command line that makes no sense. The text says what is wrong with it.
class usage_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// What the user asked for.
struct options {
  /// Show the usage and do nothing else.
  bool help = false;

  /// Replay at the speed at which the robot drove.
  bool realtime = false;

  /// The log; without an odometry file, one is made up.
  log_files files;

  /// For the log that is made up.
  std::uint64_t seed = 1;

  /// Where the robot is at the first time stamp.
  pose start;

  /// What the filter believes about the sensors.
  ekf_settings filter;

  /// Where the track goes, as comma-separated values.
  std::string track_file = "localization.csv";

  /// Where the picture goes, as SVG.
  std::string picture_file = "localization.svg";

  /// Where checkpoints go, and the file of those to continue from; empty for
  /// none.
  std::string checkpoint_file;
  std::string resumed_file;

  /// What CAF and Rosia are to understand: `--rosia.trace=FILE` and the like.
  std::vector<std::string> caf_arguments;
};

/// Reads a command line, without the program's name.
/// @throws usage_error if it makes no sense.
options parse_options(const std::vector<std::string>& arguments);

/// Returns the text for `--help`.
std::string usage();

/// Tells whether an argument belongs to CAF or Rosia: their options have a dot
/// in the name, but for those about CAF's configuration as a whole.
bool is_caf_argument(const std::string& argument);

} // namespace localization
