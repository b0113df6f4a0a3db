// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_drill/descriptor.hpp"

#include <cerrno>
#include <system_error>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace rosia_drill {

namespace {

constexpr int backlog = 64;

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in result{};
  result.sin_family = AF_INET;
  result.sin_port = htons(port);
  result.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return result;
}

void bind_to_loopback(int socket) {
  auto address = loopback(0);
  checked(::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address),
          "cannot get a port of the loopback device");
}

std::uint16_t port_of(int socket) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  checked(::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size),
          "cannot find out the number of a port");
  return ntohs(address.sin_port);
}

descriptor make_socket(int flags) {
  return descriptor{checked(
    ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0),
    "cannot open a socket")};
}

} // namespace

int checked(int result, const std::string& message) {
  if (result < 0)
    throw std::system_error(errno, std::generic_category(), message);
  return result;
}

reserved_port::reserved_port() : socket_{make_socket(0)} {
  int on = 1;
  checked(::setsockopt(socket_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on),
          "cannot share a port");
  bind_to_loopback(socket_.get());
  number_ = port_of(socket_.get());
}

bool reserved_port::is_in_use() {
  auto result = ::listen(socket_.get(), 1) != 0;
  socket_.close();
  return result;
}

std::pair<descriptor, std::uint16_t> listen_on_loopback() {
  auto result = make_socket(SOCK_NONBLOCK);
  bind_to_loopback(result.get());
  checked(::listen(result.get(), backlog), "cannot listen on a port");
  auto port = port_of(result.get());
  return {std::move(result), port};
}

descriptor connect_to_loopback(std::uint16_t port) {
  auto result = make_socket(SOCK_NONBLOCK);
  int on = 1;
  ::setsockopt(result.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  auto address = loopback(port);
  if (::connect(
        result.get(), reinterpret_cast<sockaddr*>(&address), sizeof address)
        != 0
      && errno != EINPROGRESS)
    result.close();
  return result;
}

} // namespace rosia_drill
