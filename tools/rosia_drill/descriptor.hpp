// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "base/descriptor.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace rosia_drill {

using caf::rosia::detail::descriptor;

/// Returns the result of a system call.
/// @throws std::system_error with `message` if the result is negative.
int checked(int result, const std::string& message);

/// A reserved port of the loopback device on which no process listens. A
/// process that binds with SO_REUSEADDR, as CAF does, can use it. No other
/// process gets it by chance.
class reserved_port {
public:
  reserved_port();

  std::uint16_t number() const noexcept {
    return number_;
  }

  /// Returns whether another process listens on the port. If not, the port is
  /// released.
  bool is_in_use();

private:
  descriptor socket_;
  std::uint16_t number_ = 0;
};

/// Listens on any port of the loopback device, without blocking.
std::pair<descriptor, std::uint16_t> listen_on_loopback();

/// Starts to connect to a port of the loopback device, without blocking.
descriptor connect_to_loopback(std::uint16_t port);

} // namespace rosia_drill
