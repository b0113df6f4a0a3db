// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_drill/descriptor.hpp"
#include "rosia_drill/event_loop.hpp"

#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace rosia_drill {

/// A step that a process has got to.
struct process_step {
  std::string name;
  std::string node;
  /// A tag; without one, the nanoseconds are those of `never`.
  std::int64_t ns = 0;
  std::int64_t microstep = 0;
  /// By the monotonic clock, in nanoseconds.
  std::int64_t at = 0;
};

/// Talks to the processes of a round by a Unix socket: the other side of the
/// library's `detail::drill`. All members are for the thread of the loop.
class control {
public:
  // -- member types -----------------------------------------------------------

  /// One of the processes, by the order in which they came.
  using peer = std::size_t;

  struct events {
    /// A process has come. @returns its instructions, line by line.
    std::function<std::vector<std::string>(
      peer who, const std::string& name, pid_t pid)>
      hello;

    /// It has told which nodes it runs.
    std::function<void(peer who, const std::vector<std::string>& nodes)> nodes;

    /// Logical time begins, at this time by the monotonic clock.
    std::function<void(peer who, std::int64_t at)> started;

    /// It has got to a step; if it waits, it goes on when this returns.
    std::function<void(peer who, const process_step& x)> step;
  };

  // -- constructors, destructors ----------------------------------------------

  /// Listens.
  /// @param path of the socket, which is removed at the end.
  /// @throws std::system_error if it cannot be made.
  control(event_loop& loop, std::string path, events on);

  control(const control&) = delete;

  control& operator=(const control&) = delete;

  ~control();

  // -- messages ---------------------------------------------------------------

  /// Sends a line, if the process is still there.
  void send(peer who, const std::string& line);

private:
  struct connection {
    descriptor socket;
    std::string input;
    bool open = true;
  };

  void accept();

  void read(peer who);

  void handle(peer who, const std::string& line);

  void close(peer who);

  event_loop* loop_;
  std::string path_;
  events on_;
  descriptor listener_;
  std::vector<connection> peers_;
};

} // namespace rosia_drill
