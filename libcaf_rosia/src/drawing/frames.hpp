// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/graph_description.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace caf::rosia::detail {

/// A composite, with the composites and nodes in it [10.9.3].
struct composite_frame {
  std::string name;
  std::vector<composite_frame> inner = {};
  std::vector<std::uint32_t> nodes = {};
};

/// The nodes that a diagram draws in one frame: those of a process and, within
/// it, of each composite, and of each group of several nodes. Nodes of
/// composites are in no group's frame, because a group may have only some of
/// the nodes of a composite.
struct process_frame {
  std::string process; // empty: no frame
  std::vector<composite_frame> composites = {};
  std::vector<std::vector<std::uint32_t>> groups = {};
  std::vector<std::uint32_t> others = {};
};

/// Returns the name of a node within its composite: "control" for
/// "leg[0].control".
std::string_view local_name(std::string_view node) noexcept;

/// Returns the frames in the order of the nodes. Each node is in one of them.
std::vector<process_frame> frames_of(const graph_description& x);

} // namespace caf::rosia::detail
