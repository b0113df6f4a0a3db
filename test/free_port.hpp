// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cerrno>
#include <cstdint>
#include <random>
#include <system_error>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace test {

/// Returns an unused port of the loopback device. It is below the ports of
/// outgoing connections, one of which could take it before its user does.
inline std::uint16_t free_port() {
  constexpr std::uint16_t first = 10'000;
  constexpr std::uint16_t last = 32'000;
  std::random_device random;
  std::uniform_int_distribution<std::uint16_t> any{first, last};
  auto code = 0;
  for (auto attempts = 0; attempts < 100; ++attempts) {
    auto result = any(random);
    auto fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(result);
    auto ok
      = fd >= 0
        && bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address))
             == 0;
    code = errno;
    close(fd);
    if (ok)
      return result;
  }
  throw std::system_error(code, std::generic_category(), "no free port");
}

} // namespace test
