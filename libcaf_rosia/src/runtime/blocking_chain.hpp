// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/report.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace caf::rosia::detail {

/// The shortest explanation of what holds an application up: the node that has
/// come least far, the node that it waits for, and so on to one that waits for
/// no other, with what that one does; a line each. Empty if nothing holds it
/// up: before and after the run, and while nodes wait for physical time only.
/// @param realtime whether tags wait for physical time.
std::vector<std::string> explain(const report& x, bool realtime);

/// How far a node is behind physical time, in nanoseconds; 0 if it is not.
/// @param elapsed physical time since the start.
std::int64_t lag_of(const node_report& x, std::chrono::nanoseconds elapsed);

} // namespace caf::rosia::detail
