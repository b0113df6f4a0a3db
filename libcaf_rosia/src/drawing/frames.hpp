// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/graph_description.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace caf::rosia::detail {

/// The nodes that a diagram draws in one frame: those of a process and, within
/// it, of each group of several nodes.
struct process_frame {
  std::string process; // empty: no frame
  std::vector<std::vector<std::uint32_t>> groups = {};
  std::vector<std::uint32_t> others = {};
};

/// Returns the frames in the order of the nodes. Each node is in one of them.
std::vector<process_frame> frames_of(const graph_description& x);

} // namespace caf::rosia::detail
