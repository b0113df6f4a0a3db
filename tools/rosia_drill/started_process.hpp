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

/// What to start.
struct process_command {
  /// The program's path, and its arguments.
  std::vector<std::string> arguments;
  /// `NAME=value`, in addition to this process's variables.
  std::vector<std::string> environment;
  std::filesystem::path folder;
  /// What it prints goes there; empty for a pipe.
  std::filesystem::path log;
};

/// A process that this one has started: the leader of a process group of its
/// own, without descriptors of this process. It inherits SIGXFSZ: if that is
/// ignored here, `limit_files` looks like a full disk to it.
class started_process {
public:
  /// @throws std::system_error naming the program.
  explicit started_process(const process_command& command);

  started_process(started_process&&) = default;

  /// Kills its group, if it has not ended.
  ~started_process();

  pid_t pid() const noexcept {
    return pid_;
  }

  /// Can be read once the process has ended.
  int handle() const noexcept {
    return handle_.get();
  }

  /// What it prints, if it goes to a pipe; reading does not block.
  int output() const noexcept {
    return output_.get();
  }

  bool running() const noexcept {
    return running_;
  }

  /// Takes notice of its end. @pre It has ended.
  /// @returns the status as a shell tells it: 128 and the signal, if one ended
  ///          it.
  int reap();

  /// Sends a signal. After SIGKILL and SIGSTOP the process does nothing more
  /// when this returns. @returns false if the process has ended.
  bool signal(int number) const;

  /// Lets no file that it writes grow beyond this many bytes; negative for no
  /// limit. @returns false if the process has ended.
  bool limit_files(std::int64_t size) const;

  void kill_group() const;

private:
  void wait_until_still() const;

  pid_t pid_ = 0;
  descriptor handle_;
  descriptor output_;
  bool running_ = true;
};

/// The processes that run with this variable, `NAME=value`, in their
/// environment: their numbers, and their programs' names.
std::vector<std::pair<pid_t, std::string>> processes_with(
  const std::string& variable);

} // namespace rosia_drill
