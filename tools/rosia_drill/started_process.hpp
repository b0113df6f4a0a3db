// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_drill/descriptor.hpp"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace rosia_drill {

/// The program to start, and its environment.
struct process_command {
  /// The path of the program, followed by its arguments.
  std::vector<std::string> arguments;
  /// `NAME=value`, in addition to this process's variables.
  std::vector<std::string> environment;
  std::filesystem::path folder;
  /// File for its output; empty for a pipe.
  std::filesystem::path log;
};

/// A child process: the leader of a new process group, without descriptors of
/// this process. It inherits SIGXFSZ. If that is ignored here, `limit_files`
/// has the same effect as a full disk.
class started_process {
public:
  /// @throws std::system_error with the name of the program.
  explicit started_process(const process_command& command);

  started_process(started_process&&) = default;

  /// Kills the process group, unless the process has exited.
  ~started_process();

  pid_t pid() const noexcept {
    return pid_;
  }

  /// Returns a descriptor that is readable after the process has exited.
  int handle() const noexcept {
    return handle_.get();
  }

  /// Returns the pipe with its output, if there is one. Reading does not block.
  int output() const noexcept {
    return output_.get();
  }

  bool running() const noexcept {
    return running_;
  }

  /// Collects the exit status. @pre The process has exited.
  /// @returns the status as in a shell: 128 plus the signal, if a signal killed
  /// the process.
  int reap();

  /// Sends a signal. After SIGKILL and SIGSTOP, the process no longer runs when
  /// this function returns. @returns false if the process has exited.
  bool signal(int number) const;

  /// Limits the size of all files that the process writes; negative for no
  /// limit. @returns false if the process has exited.
  bool limit_files(std::int64_t size) const;

  void kill_group() const;

private:
  void wait_until_still() const;

  pid_t pid_ = 0;
  descriptor handle_;
  descriptor output_;
  bool running_ = true;
};

/// Finds the processes that have this variable, `NAME=value`, in their
/// environment. @returns their ids and the names of their programs.
std::vector<std::pair<pid_t, std::string>> processes_with(
  const std::string& variable);

} // namespace rosia_drill
