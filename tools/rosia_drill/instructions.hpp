// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_drill/planned_fault.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace rosia_drill {

/// Where a process finds another one that the tool stands in front of.
struct relayed_address {
  std::string process;
  /// Of the loopback device.
  std::uint16_t port;
};

/// What a process is told when it connects to the tool, line by line; the
/// library's `detail::drill` obeys it. A node may run in any process, so each
/// is told about all nodes.
/// @param process its name.
std::vector<std::string> instructions_for(
  const std::string& process, const std::vector<planned_fault>& faults,
  const std::vector<relayed_address>& addresses);

/// The line that makes a fault happen to the next reaction of its node.
std::string arm_instruction(const planned_fault& x);

} // namespace rosia_drill
