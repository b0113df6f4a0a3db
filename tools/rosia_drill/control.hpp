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

/// A step that a process reached.
struct process_step {
  std::string name;
  std::string node;
  /// A tag; without one, the nanoseconds are those of `never`.
  std::int64_t ns = 0;
  std::int64_t microstep = 0;
  /// Time of the monotonic clock, in nanoseconds.
  std::int64_t at = 0;
};

/// Communicates with the processes of a round over a Unix socket. The other end
/// is the library's `detail::drill`. All members must be called from the loop's
/// thread.
class control {
public:
  // -- member types -----------------------------------------------------------

  /// Number of a process, in the order of connecting.
  using peer = std::size_t;

  struct events {
    /// Called when a process connects. @returns its instructions, line by
    /// line.
    std::function<std::vector<std::string>(
      peer client, const std::string& name, pid_t pid)>
      hello;

    /// Called with the nodes that a process runs.
    std::function<void(peer client, const std::vector<std::string>& nodes)>
      nodes;

    /// Called when logical time starts, with the time of the monotonic clock.
    std::function<void(peer client, std::int64_t at)> started;

    /// Called when a process reaches a step. If the process waits at it, it
    /// continues when this function returns.
    std::function<void(peer client, const process_step& x)> step;
  };

  // -- constructors, destructors ----------------------------------------------

  /// Listens at a socket.
  /// @param path of the socket, which the destructor removes.
  /// @throws std::system_error if the socket cannot be created.
  control(event_loop& loop, std::string path, events on);

  control(const control&) = delete;

  control& operator=(const control&) = delete;

  ~control();

  // -- messages ---------------------------------------------------------------

  /// Sends a line if the process is still connected.
  void send(peer client, const std::string& line);

private:
  struct connection {
    descriptor socket;
    std::string input;
    bool open = true;
  };

  void accept();

  void read(peer client);

  void handle(peer client, const std::string& line);

  void close(peer client);

  event_loop* loop_;
  std::string path_;
  events on_;
  descriptor listener_;
  std::vector<connection> peers_;
};

} // namespace rosia_drill
