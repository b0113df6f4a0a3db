// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "socket_probe.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace caf::rosia::detail {

namespace {

using std::chrono::steady_clock;

/// Waits for a connection that is being made. @returns an errno.
int wait_for(int fd, steady_clock::time_point deadline) {
  for (;;) {
    auto left = std::chrono::ceil<std::chrono::milliseconds>(
      deadline - steady_clock::now());
    if (left.count() <= 0)
      return ETIMEDOUT;
    pollfd entry{fd, POLLOUT, 0};
    auto n
      = poll(&entry, 1, static_cast<int>(std::min<long>(left.count(), 60'000)));
    if (n < 0 && errno != EINTR)
      return errno;
    if (n > 0)
      break;
  }
  auto result = 0;
  socklen_t size = sizeof(result);
  if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &result, &size) != 0)
    return errno;
  return result;
}

std::string local_host_of(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  std::array<char, NI_MAXHOST> text{};
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (getsockname(fd, generic, &size) != 0
      || getnameinfo(
           generic, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST)
           != 0)
    return {};
  return text.data();
}

/// Calls `fun` with a socket for each address, until it returns true. @returns
/// why there are none.
template <class Fun>
std::string try_addresses(const std::string& host, std::uint16_t port, int type,
                          Fun&& fun) {
  addrinfo hints{};
  hints.ai_socktype = type;
  addrinfo* found = nullptr;
  if (auto code
      = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
      code != 0)
    return gai_strerror(code);
  std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner{found, freeaddrinfo};
  for (auto* x = found; x != nullptr; x = x->ai_next) {
    auto fd = socket(x->ai_family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
      continue;
    auto done = fun(fd, *x);
    close(fd);
    if (done)
      break;
  }
  return {};
}

} // namespace

std::string probe(const std::string& host, std::uint16_t port,
                  steady_clock::time_point deadline) {
  auto code = ECONNREFUSED;
  auto problem = try_addresses(host, port, SOCK_STREAM, [&](int fd, auto& x) {
    code = connect(fd, x.ai_addr, x.ai_addrlen) == 0 ? 0 : errno;
    if (code == EINPROGRESS)
      code = wait_for(fd, deadline);
    return code == 0;
  });
  if (!problem.empty())
    return problem;
  return code == 0 ? std::string{} : std::strerror(code);
}

std::string local_address_towards(const std::string& host, std::uint16_t port) {
  std::string result;
  try_addresses(host, port, SOCK_DGRAM, [&](int fd, auto& x) {
    if (connect(fd, x.ai_addr, x.ai_addrlen) == 0)
      result = local_host_of(fd);
    return !result.empty();
  });
  return result;
}

} // namespace caf::rosia::detail
