// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "subcommands/command_line.hpp"

#include <map>
#include <string>

namespace subcommands {

/// A program whose first argument is a command.
struct tool {
  std::string name;

  /// The output of --help.
  std::string usage;

  /// The output of --version, without a newline.
  std::string version;

  /// The commands. Each returns the exit status.
  std::map<std::string, int (*)(const arguments&)> commands;

  /// The exit status of other errors. For an invalid command line, it is 2.
  int failure = 1;
};

/// Implements main() of a tool. Prints an exception as a line on standard
/// error.
int run(const tool& x, int argc, const char* const* argv);

} // namespace subcommands
