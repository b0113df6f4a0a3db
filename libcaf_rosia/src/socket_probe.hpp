// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace caf::rosia::detail {

/// Tells why nobody accepts TCP connections there; empty if somebody does:
/// connects, and hangs up at once. From any thread.
std::string probe(const std::string& host, std::uint16_t port,
                  std::chrono::steady_clock::time_point deadline);

/// Returns the address of this machine from which packets go there; empty if
/// none does. Sends nothing. From any thread.
std::string local_address_towards(const std::string& host, std::uint16_t port);

} // namespace caf::rosia::detail
