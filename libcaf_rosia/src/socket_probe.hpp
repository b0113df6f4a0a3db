// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace caf::rosia::detail {

struct probe_result {
  /// Why the port cannot be reached. Empty if it can.
  std::string problem;

  /// The address by which this machine reached it.
  std::string local_host;
};

/// Tells whether somebody accepts TCP connections there: connects, and hangs up
/// at once. From any thread.
probe_result probe(const std::string& host, std::uint16_t port,
                   std::chrono::steady_clock::time_point deadline);

} // namespace caf::rosia::detail
