// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/report.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace caf::rosia::detail {

/// Returns the shortest explanation of a delay, one line for each node: the
/// node with the least progress, the node that it waits for, and so on, with
/// what the last one does. Returns nothing before and after the run, and while
/// all nodes wait for physical time only. The reports of single nodes have
/// longer texts, see `to_string(node_report)`.
/// @param realtime whether tags wait for physical time.
std::vector<std::string> explain(const application_report& x, bool realtime);

/// Returns the lag of a node behind physical time, in nanoseconds; 0 if the
/// node does not lag.
/// @param elapsed physical time since the start.
std::int64_t lag_of(const node_report& x, std::chrono::nanoseconds elapsed);

} // namespace caf::rosia::detail
