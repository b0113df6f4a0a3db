// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace existing_service {

/// The error for an invalid command line.
class usage_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// The program's options.
struct options {
  /// Show only the usage.
  bool help = false;

  /// Only verify this database; empty: run the service.
  std::string verify = "";

  // -- the service ------------------------------------------------------------

  std::string database = "existing_service.db";
  std::size_t workers = 4;

  /// Additional time that the store takes for each entry.
  std::chrono::nanoseconds slowness{0};

  /// Deadline of the shutdown.
  std::chrono::nanoseconds deadline = std::chrono::seconds{30};

  // -- the load ---------------------------------------------------------------

  std::size_t clients = 4;
  std::size_t in_flight = 16;

  /// Number of requests and time, after which the service ends by itself.
  std::optional<std::uint64_t> requests = {};
  std::optional<std::chrono::nanoseconds> duration = {};

  /// Do not send the keys that earlier runs with this option stored.
  bool resume = false;

  // -- output; an empty name: none --------------------------------------------

  /// Print a line when this number of requests is acknowledged; 0: never.
  std::uint64_t announce = 0;

  /// File for the figures, as JSON.
  std::string report_file = "";

  /// File for the times of all participants, as SVG if its name ends so, else
  /// as JSON.
  std::string timeline_file = "";

  /// File for the acknowledged keys, one per line.
  std::string keys_file = "";
};

/// Parses a command line, which does not contain the program's name.
/// @throws usage_error if it is invalid.
options parse_options(const std::vector<std::string>& arguments);

/// Returns the text for `--help`.
std::string usage();

} // namespace existing_service
