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
/// @throws std::system_error with this message if it is negative.
int checked(int result, const std::string& message);

/// A port of the loopback device that is held, but on which nobody listens: who
/// binds with SO_REUSEADDR, as CAF does, may have it, and nobody gets it by
/// chance.
class reserved_port {
public:
  reserved_port();

  std::uint16_t number() const noexcept {
    return number_;
  }

  /// Tells whether somebody else listens on it. The port is given up then, if
  /// nobody does.
  bool is_in_use();

private:
  descriptor socket_;
  std::uint16_t number_ = 0;
};

/// Listens on any port of the loopback device, without blocking.
std::pair<descriptor, std::uint16_t> listen_on_loopback();

/// Begins to connect to a port of the loopback device, without blocking.
descriptor connect_to_loopback(std::uint16_t port);

} // namespace rosia_drill
