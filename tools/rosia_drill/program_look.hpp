// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_drill/drill_file.hpp"
#include "rosia_drill/round_settings.hpp"

#include <set>
#include <string>
#include <vector>

namespace rosia_drill {

/// The answer of a program that was asked for its nodes.
struct program_look {
  /// Names of all nodes; empty if the program did not tell.
  std::set<std::string> nodes;
  /// The exit status as in a shell.
  int status = 0;
  /// The lines that the program printed.
  std::vector<std::string> lines;
};

/// Starts the program so that it draws its graph and does not run it.
/// @param settings the folder and the socket are used. The program resumes if
///   they say so.
/// @throws std::system_error if the program cannot be started.
program_look look_at_program(
  const drill& definition, const round_settings& settings);

/// Refuses arguments that the program does not understand.
/// @param key the key of the arguments: "arguments" or "resume".
/// @throws mistake with the line and the program's message.
void check_arguments(const drill& definition, const std::string& key,
                     const program_look& seen);

/// Refuses names of nodes and processes that do not exist.
/// @throws mistake with the line and the known names.
void check_names(const drill& definition, const program_look& seen);

} // namespace rosia_drill
