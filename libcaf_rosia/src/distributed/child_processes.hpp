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

/// Processes that this one has started: relays what they print, line by line,
/// and takes notice when they end. Their numbers count from 0.
///
/// All members are for one thread, unless they say otherwise. Nothing else in
/// this process may wait for these processes, as `wait()` of the C library
/// does. SIGCHLD is not ignored meanwhile.
class child_processes {
public:
  /// A longer line is relayed in pieces of this size, in bytes.
  static constexpr std::size_t max_line = 64 * 1024;

  /// What the owner is told, always from one thread of the child processes'
  /// own. Each may be empty. A function that takes its time holds up all
  /// processes that print, and none may throw, or call `wait`.
  struct events {
    /// A line that a process has printed to its standard output, or to its
    /// standard error, without the newline; the last one may have had none.
    std::function<void(std::size_t child, std::string_view line, bool error)>
      line;

    /// A process has ended, once for each and after its last line: with its
    /// exit status, or with 128 and the number of the signal that killed it.
    /// 127 stands for one that somebody else has waited for.
    ///
    /// What it has started itself may still run: that is no longer heard, and
    /// gets a SIGPIPE when it prints.
    std::function<void(std::size_t child, int status)> ended;

    /// Tells whether lines of this kind are wanted now; else they are not read,
    /// and a process that prints more than a pipe holds waits. Asked anew after
    /// `look_again`. What a process has printed is read at its end in any case.
    std::function<bool(bool error)> wanted = nullptr;
  };

  /// @throws std::system_error without descriptors or threads left.
  explicit child_processes(events on);

  child_processes(const child_processes&) = delete;

  child_processes& operator=(const child_processes&) = delete;

  /// Kills what still runs, and waits for it and for its `ended`.
  ~child_processes();

  /// Starts a program. It reads nothing (/dev/null), has no descriptor of this
  /// process but the pipes that it prints to, is the leader of a new
  /// process group, so that a terminal's Ctrl-C does not reach it, is stopped
  /// and continued with this process (see `stop_relay`), and neither blocks nor
  /// ignores signals, except for the one that is named.
  /// @param arguments the program's path, followed by its arguments.
  /// @param environment `NAME=value`, in addition to this process's variables,
  ///        and in place of those of the same name. No name comes twice.
  /// @param blocked a signal that it blocks until it unblocks it; 0 if none.
  /// @returns the process's number.
  /// @throws std::system_error, naming the program, if it cannot be started.
  std::size_t start(
    const std::vector<std::string>& arguments,
    const std::vector<std::string>& environment, int blocked = 0);

  /// How many were started. From any thread.
  std::size_t size() const;

  /// Once the process has ended, another one may have this id. From any thread.
  pid_t pid_of(std::size_t child) const;

  /// Whether the process's end is yet to be noticed; not any more when `ended`
  /// is called. From any thread.
  bool running(std::size_t child) const;

  /// Sends a signal to the process, not to those that it started. Does nothing
  /// if it has ended. From any thread.
  void signal(std::size_t child, int number);

  /// Sends SIGKILL to all that run. From any thread.
  void kill_all();

  /// Lines may be wanted again. From any thread.
  void look_again();

  /// Waits until all have ended, and `ended` has returned for all, but no
  /// longer than until the deadline.
  /// @returns whether all have.
  bool wait(std::chrono::steady_clock::time_point deadline);

private:
  class output;
  struct process;

  void relay();

  /// Adds those that have been started since the last call.
  /// @returns whether there is anything left to do.
  bool take_started(std::vector<process*>& living);

  /// Waits until one of them prints or ends, or somebody notifies, and relays
  /// that.
  void serve(const std::vector<process*>& living);

  void finish(process& x);

  /// Tells the owner about a line of this process.
  std::function<void(std::string_view)> line_of(
    const process& x, bool error) const;

  awaitable_children awaitable_;
  stop_relay stops_;
  events on_;
  event_descriptor wake_;
  mutable std::mutex mutex_; // protects what follows
  std::condition_variable changed_;
  std::vector<std::unique_ptr<process>> children_;
  std::size_t taken_ = 0;    // children that the relaying thread knows
  std::size_t reported_ = 0; // children of which `ended` has returned
  bool closing_ = false;
  std::thread relay_; // last: it uses all of the above
};

} // namespace caf::rosia::detail
