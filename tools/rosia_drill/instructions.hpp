// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_drill/planned_fault.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace rosia_drill {

/// The address of a process that is reached through the tool.
struct relayed_address {
  std::string process;
  /// A port of the loopback device.
  std::uint16_t port;
};

/// Returns the instructions that a process receives when it connects to the
/// tool, line by line. The library's `detail::drill` executes them. A node may
/// run in any process, so each process receives the instructions for all nodes.
/// @param process name of the process.
std::vector<std::string> instructions_for(
  const std::string& process, const std::vector<planned_fault>& faults,
  const std::vector<relayed_address>& addresses);

/// Returns the line that injects a fault at the next reaction of its node.
std::string arm_instruction(const planned_fault& x);

} // namespace rosia_drill
