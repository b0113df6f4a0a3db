// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "network/sockets.hpp"

#include "base/secret.hpp"

#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <exception>
#include <future>
#include <memory>
#include <system_error>
#include <thread>
#include <vector>

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace caf::rosia::detail {

namespace {

using std::chrono::steady_clock;

constexpr int flags = SOCK_NONBLOCK | SOCK_CLOEXEC;

/// The time limit for name lookups without a deadline.
constexpr std::chrono::seconds patience_with_names{5};

std::string errno_text(int code) {
  return std::generic_category().message(code);
}

/// Waits for a connection that is being made.
/// @returns an errno.
int finish_connecting(int fd, steady_clock::time_point deadline) {
  if (!wait_for(fd, true, deadline))
    return ETIMEDOUT;
  auto result = 0;
  socklen_t size = sizeof(result);
  if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &result, &size) != 0)
    return errno;
  return result;
}

/// @returns the host, and the port if `port` is not null; empty if there is no
///   text for it.
std::string numeric(const sockaddr* address, socklen_t size,
                    std::string* port = nullptr) {
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> service{};
  if (getnameinfo(address, size, host.data(), host.size(), service.data(),
                  service.size(), NI_NUMERICHOST | NI_NUMERICSERV)
      != 0)
    return {};
  if (port != nullptr)
    *port = service.data();
  return host.data();
}

std::string numeric(const sockaddr_storage& address, socklen_t size,
                    std::string* port = nullptr) {
  return numeric(reinterpret_cast<const sockaddr*>(&address), size, port);
}

struct addresses {
  std::unique_ptr<addrinfo, void (*)(addrinfo*)> first{nullptr, freeaddrinfo};
  std::string problem; // empty if there are addresses

  auto size() const noexcept {
    auto result = 0;
    for (auto* x = first.get(); x != nullptr; x = x->ai_next)
      ++result;
    return result;
  }
};

addresses look_up_now(const std::string& host, std::uint16_t port, int type,
                      int lookup_flags) {
  addrinfo hints{};
  hints.ai_socktype = type;
  hints.ai_flags = lookup_flags;
  addrinfo* found = nullptr;
  addresses result;
  auto* name = host.empty() ? nullptr : host.c_str();
  if (auto code
      = getaddrinfo(name, std::to_string(port).c_str(), &hints, &found);
      code != 0)
    result.problem
      = code == EAI_SYSTEM ? errno_text(errno) : gai_strerror(code);
  result.first.reset(found);
  return result;
}

/// Looks up a host in a separate thread, because name servers may take longer
/// than the deadline.
addresses look_up(const std::string& host, std::uint16_t port, int type,
                  steady_clock::time_point deadline) {
  if (auto result = look_up_now(host, port, type, AI_NUMERICHOST); result.first)
    return result;
  auto answer = std::make_shared<std::promise<addresses>>();
  auto result = answer->get_future();
  try {
    std::thread{[=] {
      try {
        answer->set_value(look_up_now(host, port, type, 0));
      } catch (...) {
        answer->set_exception(std::current_exception());
      }
    }}.detach();
  } catch (const std::system_error&) {
    return look_up_now(host, port, type, 0);
  }
  if (result.wait_until(deadline) == std::future_status::ready)
    return result.get();
  addresses nothing;
  nothing.problem = "no answer from the name service";
  return nothing;
}

/// Connects until the deadline.
/// @returns an errno.
int dial_address(const addrinfo& where, steady_clock::time_point deadline,
                 descriptor& result) {
  descriptor fd{socket(where.ai_family, where.ai_socktype | flags, 0)};
  if (!fd)
    return errno;
  auto code
    = connect(fd.get(), where.ai_addr, where.ai_addrlen) == 0 ? 0 : errno;
  if (code == EINPROGRESS)
    code = finish_connecting(fd.get(), deadline);
  if (code == 0)
    result = std::move(fd);
  return code;
}

/// Opens a socket at an address.
/// @returns an errno.
int listen_at_address(const addrinfo& where, bool both_families,
                      descriptor& result) {
  descriptor fd{socket(where.ai_family, where.ai_socktype | flags, 0)};
  if (!fd)
    return errno;
  auto set = [&](int level, int option, int value) {
    return setsockopt(fd.get(), level, option, &value, sizeof(value)) == 0;
  };
  if (!set(SOL_SOCKET, SO_REUSEADDR, 1)
      || (where.ai_family == AF_INET6 && both_families
          && !set(IPPROTO_IPV6, IPV6_V6ONLY, 0))
      || bind(fd.get(), where.ai_addr, where.ai_addrlen) != 0
      || listen(fd.get(), SOMAXCONN) != 0)
    return errno;
  result = std::move(fd);
  return 0;
}

struct local_address {
  /// @pre The name is short enough.
  explicit local_address(const std::string& name) {
    value.sun_family = AF_UNIX;
    // A zero byte represents the `@`.
    auto n = name.size();
    std::memcpy(value.sun_path + 1, name.data() + 1, n - 1);
    size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + n);
  }

  const sockaddr* get() const noexcept {
    return reinterpret_cast<const sockaddr*>(&value);
  }

  sockaddr_un value{};
  socklen_t size;
};

descriptor dial_locally(const std::string& name, dial_problem& problem) {
  if (name.size() > sizeof(sockaddr_un::sun_path)) {
    problem = {errno_text(ENAMETOOLONG)};
    return {};
  }
  descriptor result{socket(AF_UNIX, SOCK_STREAM | flags, 0)};
  local_address address{name};
  if (!result || connect(result.get(), address.get(), address.size) != 0) {
    problem = {errno_text(errno), errno == ECONNREFUSED};
    return {};
  }
  if (!same_user(result.get())) {
    problem = {"a program of another user listens there"};
    return {};
  }
  return result;
}

} // namespace

bool is_local_name(const std::string& host) noexcept {
  return host.size() > 1 && host.front() == '@';
}

std::pair<descriptor, std::string> listen_locally() {
  descriptor result{socket(AF_UNIX, SOCK_STREAM | flags, 0)};
  auto name = "@rosia-" + random_text(16);
  local_address address{name};
  if (!result || bind(result.get(), address.get(), address.size) != 0
      || listen(result.get(), SOMAXCONN) != 0)
    throw std::system_error(
      errno, std::generic_category(), "cannot open a local socket");
  return {std::move(result), std::move(name)};
}

descriptor dial(const std::string& host, std::uint16_t port,
                steady_clock::time_point deadline, dial_problem& problem) {
  if (is_local_name(host))
    return dial_locally(host, problem);
  auto where = look_up(host, port, SOCK_STREAM, deadline);
  descriptor result;
  std::vector<std::string> problems;
  auto left = where.size();
  for (auto* x = where.first.get(); x != nullptr; x = x->ai_next, --left) {
    auto now = steady_clock::now();
    auto code = dial_address(*x, now + (deadline - now) / left, result);
    if (code == 0)
      return result;
    problems.push_back(
      where.size() == 1
        ? errno_text(code)
        : numeric(x->ai_addr, x->ai_addrlen) + ": " + errno_text(code));
  }
  problem = {problems.empty() ? where.problem
                              : fmt::format("{}", fmt::join(problems, ", "))};
  return {};
}

descriptor listen_at(const std::string& host, std::uint16_t port) {
  auto all = host.empty() || host == "0.0.0.0" || host == "::";
  auto where = look_up_now(all ? "" : host, port, SOCK_STREAM, AI_PASSIVE);
  if (!where.first)
    throw std::system_error(
      EADDRNOTAVAIL, std::generic_category(), where.problem);
  // One IPv6 socket serves all addresses, if the machine has both kinds.
  descriptor result;
  auto code = EADDRNOTAVAIL;
  for (auto family : {AF_INET6, AF_INET})
    for (auto* x = where.first.get(); x != nullptr; x = x->ai_next)
      if (x->ai_family == family) {
        code = listen_at_address(*x, all, result);
        if (code == 0)
          return result;
      }
  throw std::system_error(code, std::generic_category());
}

bool same_user(int local_socket) noexcept {
  ucred other{};
  socklen_t size = sizeof(other);
  return getsockopt(local_socket, SOL_SOCKET, SO_PEERCRED, &other, &size) == 0
         && other.uid == geteuid();
}

std::string peer_text(int fd) {
  ucred user{};
  socklen_t size = sizeof(user);
  sockaddr_storage address{};
  socklen_t address_size = sizeof(address);
  if (getpeername(fd, reinterpret_cast<sockaddr*>(&address), &address_size)
      != 0)
    return "an unknown peer, whose connection ended";
  if (address.ss_family == AF_UNIX)
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &user, &size) == 0
             ? fmt::format("process {} of user {}", user.pid, user.uid)
             : "a process of this machine";
  std::string port;
  auto host = numeric(address, address_size, &port);
  return host.find(':') == std::string::npos
           ? host + ':' + port
           : '[' + host + "]:" + port;
}

bool wait_for(int fd, bool writable,
              steady_clock::time_point deadline) noexcept {
  for (;;) {
    auto left = std::chrono::ceil<std::chrono::milliseconds>(
      deadline - steady_clock::now());
    if (left.count() <= 0)
      return false;
    pollfd entry{fd, static_cast<short>(writable ? POLLOUT : POLLIN), 0};
    auto n
      = poll(&entry, 1, static_cast<int>(std::min<long>(left.count(), 60'000)));
    // The next operation will report an error of poll.
    if (n > 0 || (n < 0 && errno != EINTR))
      return true;
  }
}

std::string local_address_towards(const std::string& host, std::uint16_t port) {
  auto where = look_up(
    host, port, SOCK_DGRAM, steady_clock::now() + patience_with_names);
  for (auto* x = where.first.get(); x != nullptr; x = x->ai_next) {
    descriptor fd{socket(x->ai_family, x->ai_socktype | flags, 0)};
    sockaddr_storage address{};
    socklen_t size = sizeof(address);
    if (fd && connect(fd.get(), x->ai_addr, x->ai_addrlen) == 0
        && getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &size)
             == 0)
      if (auto result = numeric(address, size); !result.empty())
        return result;
  }
  return {};
}

} // namespace caf::rosia::detail
