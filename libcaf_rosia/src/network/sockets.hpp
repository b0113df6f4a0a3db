// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

namespace caf::rosia::detail {

/// Owns a socket, and closes it. All sockets here are non-blocking, and are
/// closed in programs that this one starts.
class unique_socket {
public:
  unique_socket() noexcept = default;

  explicit unique_socket(int fd) noexcept : fd_(fd) {
    // nop
  }

  unique_socket(unique_socket&& other) noexcept : fd_(other.release()) {
    // nop
  }

  unique_socket& operator=(unique_socket&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }

  ~unique_socket();

  int get() const noexcept {
    return fd_;
  }

  int release() noexcept {
    return std::exchange(fd_, -1);
  }

  explicit operator bool() const noexcept {
    return fd_ >= 0;
  }

private:
  int fd_ = -1;
};

/// Tells whether the name of a host stands for a socket of this machine, which
/// no other machine reaches, and no file belongs to: `@` and a name in Linux's
/// abstract namespace.
bool is_local_name(const std::string& host) noexcept;

/// Opens a local socket with a random name.
/// @throws std::system_error
std::pair<unique_socket, std::string> listen_locally();

/// Opens a socket for TCP.
/// @param host a name or an address of this machine; empty, `0.0.0.0` or `::`
/// for all of its addresses.
/// @param port 0 for any.
/// @throws std::system_error
unique_socket listen_at(const std::string& host, std::uint16_t port);

/// Why there is no connection.
struct dial_problem {
  std::string text;

  /// Nobody listens at a local name.
  bool refused = false;
};

/// Connects, over TCP or locally, to the first address of the host where
/// somebody answers. No address gets all the time that is left while there are
/// others. From any thread.
/// @param problem why there is no connection then.
unique_socket dial(
  const std::string& host, std::uint16_t port,
  std::chrono::steady_clock::time_point deadline, dial_problem& problem);

/// Tells whether a program of the same user is at the other end of a local
/// socket.
bool same_user(int local_socket) noexcept;

/// Such as `127.0.0.1:4711`, or what else can be said of the other end.
std::string peer_text(int fd);

/// Waits until a socket can be read, or written, or has failed. @returns false
/// if the deadline came first.
bool wait_for(int fd, bool writable,
              std::chrono::steady_clock::time_point deadline) noexcept;

/// Returns the address of this machine from which packets go there; empty if
/// none does. Sends nothing. From any thread.
std::string local_address_towards(const std::string& host, std::uint16_t port);

} // namespace caf::rosia::detail
