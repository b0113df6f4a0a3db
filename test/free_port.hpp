// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cerrno>
#include <cstdint>
#include <system_error>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace test {

/// Returns an unused port of the loopback device.
inline std::uint16_t free_port() {
  auto fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof(address);
  auto ok = fd >= 0 && bind(fd, generic, size) == 0
            && getsockname(fd, generic, &size) == 0;
  auto code = errno;
  close(fd);
  if (!ok)
    throw std::system_error(code, std::generic_category(), "no free port");
  return ntohs(address.sin_port);
}

} // namespace test
