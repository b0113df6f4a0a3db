// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <vector>

#include <spawn.h>
#include <sys/types.h>

namespace caf::rosia::detail {

/// Starts a program. It gets the usual signals, whatever this process has
/// changed, and of this process's descriptors only those that are set here. All
/// functions throw std::system_error. Tests:
/// test/distributed/child_processes_test.cpp, test/drawing/diagram_test.cpp.
class program_start {
public:
  program_start();

  program_start(const program_start&) = delete;

  program_start& operator=(const program_start&) = delete;

  ~program_start();

  /// Opens a file as the program's descriptor `fd`.
  void open(int fd, const std::string& path, int flags);

  /// Passes this process's descriptor `from` as the program's descriptor `to`.
  void duplicate(int from, int to);

  void enter(const std::string& folder);

  /// Makes the program the leader of a process group.
  void lead_group();

  /// Blocks these signals in the program.
  void block(const std::vector<int>& signals);

  /// Lets the program ignore a signal if this process does.
  void inherit(int signal);

  /// @param arguments the program's path or, if it has no slash, its name in
  /// PATH, and its arguments.
  /// @param environment variables that are added to those of this process, or
  /// replace them: "NAME=value".
  pid_t run(const std::vector<std::string>& arguments,
            const std::vector<std::string>& environment = {});

private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
  sigset_t defaults_;
  short flags_ = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
};

} // namespace caf::rosia::detail
