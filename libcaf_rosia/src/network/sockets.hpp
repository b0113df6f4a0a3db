// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "base/descriptor.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

namespace caf::rosia::detail {

/// All sockets here are non-blocking, and are closed in programs that this one
/// starts.

/// Returns whether the name of a host is that of a local socket: `@` and a name
/// in Linux's abstract namespace. No other machine can reach such a socket, and
/// it has no file.
bool is_local_name(const std::string& host) noexcept;

/// Opens a local socket with a random name.
/// @throws std::system_error
std::pair<descriptor, std::string> listen_locally();

/// Opens a socket for TCP.
/// @param host a name or an address of this machine; empty, `0.0.0.0` or `::`
///   for all of its addresses.
/// @param port 0 for any.
/// @throws std::system_error
descriptor listen_at(const std::string& host, std::uint16_t port);

/// The reason why there is no connection.
struct dial_problem {
  std::string text;

  /// Whether there is no listener at a local name.
  bool refused = false;
};

/// Connects, over TCP or locally, to the first address of the host that
/// answers. An address gets only part of the remaining time while further
/// addresses remain. Any thread may call this.
/// @param problem the reason, if there is no connection.
descriptor dial(const std::string& host, std::uint16_t port,
                std::chrono::steady_clock::time_point deadline,
                dial_problem& problem);

/// Returns whether the other end of a local socket is a program of the same
/// user.
bool same_user(int local_socket) noexcept;

/// Returns a text such as `127.0.0.1:4711`, or another description of the other
/// end.
std::string peer_text(int fd);

/// Waits until a socket is readable or writable, or has failed.
/// @returns false if the deadline passed first.
bool wait_for(int fd, bool writable,
              std::chrono::steady_clock::time_point deadline) noexcept;

/// Returns the address of this machine from which packets to a host are sent;
/// empty if there is none. Sends nothing. Any thread may call this.
std::string local_address_towards(const std::string& host, std::uint16_t port);

} // namespace caf::rosia::detail
