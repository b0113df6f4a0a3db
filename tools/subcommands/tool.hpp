// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "subcommands/command_line.hpp"

#include <map>
#include <string>

namespace subcommands {

/// A program whose first argument says what to do.
struct tool {
  std::string name;

  /// What --help prints.
  std::string usage;

  /// What --version prints, without a newline.
  std::string version;

  /// Each returns the exit status.
  std::map<std::string, int (*)(const arguments&)> commands;

  /// The exit status if something goes wrong. If the command line is wrong, it
  /// is 2.
  int failure = 1;
};

/// The tool's main(). An exception becomes a line on standard error.
int run(const tool& x, int argc, const char* const* argv);

} // namespace subcommands
