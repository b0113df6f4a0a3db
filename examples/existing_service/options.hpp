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

/// A command line that makes no sense. The text says what is wrong with it.
class usage_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// What the user asked for.
struct options {
  /// Show the usage and do nothing else.
  bool help = false;

  /// Look at this database, and do nothing else; empty: no.
  std::string verify = "";

  // -- the service ------------------------------------------------------------

  std::string database = "existing_service.db";
  std::size_t workers = 4;

  /// How long the store takes for each entry, in addition.
  std::chrono::nanoseconds slowness{0};

  /// For the shutdown.
  std::chrono::nanoseconds deadline = std::chrono::seconds{30};

  // -- the load ---------------------------------------------------------------

  std::size_t clients = 4;
  std::size_t in_flight = 16;

  /// After so many requests, or so much time, the service ends by itself.
  std::optional<std::uint64_t> requests = {};
  std::optional<std::chrono::nanoseconds> duration = {};

  /// Send only what earlier runs with this option have not stored.
  bool resume = false;

  // -- output; an empty name: none --------------------------------------------

  /// When so many requests are acknowledged, a line says so; 0: never.
  std::uint64_t announce = 0;

  /// The figures, as JSON.
  std::string report_file = "";

  /// When what ended, as SVG if the name says so, else JSON.
  std::string timeline_file = "";

  /// The acknowledged keys, one a line.
  std::string keys_file = "";
};

/// Reads a command line, without the program's name.
/// @throws usage_error if it makes no sense.
options parse_options(const std::vector<std::string>& arguments);

/// Returns the text for `--help`.
std::string usage();

} // namespace existing_service
