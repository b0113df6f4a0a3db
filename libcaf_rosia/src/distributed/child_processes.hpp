// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "base/awaitable_children.hpp"
#include "caf/rosia/detail/event_descriptor.hpp"
#include "distributed/stop_relay.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <sys/types.h>

namespace caf::rosia::detail {

/// Processes started by this one. Relays their output line by line, and reports
/// their end. Their numbers start at 0.
///
/// All members are for one thread, unless they say otherwise. Nothing else in
/// this process may wait for these processes, as `wait()` of the C library
/// does. SIGCHLD is not ignored during the lifetime of this object. Tests:
/// test/distributed/child_processes_test.cpp.
class child_processes {
public:
  /// A longer line is relayed in pieces of this size, in bytes.
  static constexpr std::size_t max_line = 64 * 1024;

  /// Functions of the owner, each called from the same internal thread. Each
  /// may be empty. A slow function delays all processes that print. None may
  /// throw, or call `wait`.
  struct events {
    /// Called with a line of a process's standard output or standard error,
    /// without the newline. The last line may lack a newline.
    std::function<void(std::size_t child, std::string_view line, bool error)>
      line;

    /// Called at the end of a process, once for each and after its last line.
    /// The argument is its exit status, or 128 plus the number of the signal
    /// that killed it. 127 means that the status is lost, because another
    /// caller waited for the process.
    ///
    /// Descendants of the process may still run. Their output is no longer
    /// read, and printing kills them with SIGPIPE.
    std::function<void(std::size_t child, int status)> ended;

    /// Returns whether lines of this kind are read now. If not, a process that
    /// prints more than a pipe holds waits. Called again after `look_again`.
    /// All that a process printed is read at its end in any case.
    std::function<bool(bool error)> wanted = nullptr;
  };

  /// @throws std::system_error if descriptors or threads are exhausted.
  explicit child_processes(events on);

  child_processes(const child_processes&) = delete;

  child_processes& operator=(const child_processes&) = delete;

  /// Kills the running processes, and waits for them and for `ended`.
  ~child_processes();

  /// Starts a program. It reads nothing (/dev/null), and inherits no descriptor
  /// except the pipes that it prints to. It leads a new process group, so that
  /// a terminal's Ctrl-C does not reach it, but stops and continues with this
  /// process (see `stop_relay`). It blocks and ignores no signals except for
  /// `blocked`.
  /// @param arguments the program's path, followed by its arguments.
  /// @param environment `NAME=value`, added to this process's variables.
  ///        Replaces variables of the same name. Each name occurs once.
  /// @param blocked signals that are blocked at first.
  /// @returns the process's number.
  /// @throws std::system_error, naming the program, if it cannot be started.
  std::size_t start(const std::vector<std::string>& arguments,
                    const std::vector<std::string>& environment,
                    const std::vector<int>& blocked = {});

  /// Returns the number of processes started. From any thread.
  std::size_t size() const;

  /// Returns the process's id, which may be reused after its end. From any
  /// thread.
  pid_t pid_of(std::size_t child) const;

  /// Returns whether the process runs, or its end was not noticed yet. False by
  /// the time `ended` is called. From any thread.
  bool running(std::size_t child) const;

  /// Sends a signal to the process, not to its descendants. Does nothing after
  /// its end. From any thread.
  void signal(std::size_t child, int number);

  /// Sends SIGKILL to all running processes. From any thread.
  void kill_all();

  /// Calls `wanted` again. From any thread.
  void look_again();

  /// Waits until all processes ended, and `ended` returned for all of them, but
  /// no longer than until the deadline.
  /// @returns whether this is the case.
  bool wait(std::chrono::steady_clock::time_point deadline);

private:
  class output;
  struct process;

  void relay();

  /// Adds the processes started since the last call.
  /// @returns whether there is anything left to do.
  bool take_started(std::vector<process*>& living);

  /// Waits for output or the end of a process, or a notification, and handles
  /// these events.
  void serve(const std::vector<process*>& living);

  void finish(process& x);

  /// Returns a function that calls `line` of the owner for this process.
  std::function<void(std::string_view)> line_of(
    const process& x, bool error) const;

  awaitable_children awaitable_;
  stop_relay stops_;
  events on_;
  event_descriptor wake_;
  mutable std::mutex mutex_; // protects the members below
  std::condition_variable changed_;
  std::vector<std::unique_ptr<process>> children_;
  std::size_t taken_ = 0;    // number known to the relaying thread
  std::size_t reported_ = 0; // number for which `ended` returned
  bool closing_ = false;
  std::thread relay_; // last: it uses all of the above
};

} // namespace caf::rosia::detail
