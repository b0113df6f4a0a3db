// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace caf::rosia {

/// A graph as plain data, for drawing or inspection. `application::diagram()`
/// returns one; a trace contains one. The names are those that users chose, and
/// may contain any characters.
struct graph_description {
  // -- member types -----------------------------------------------------------

  /// An input or an output.
  struct port {
    std::string name;

    /// The type of its values.
    std::string type = {};

    /// An input that also accepts values from outside of the application.
    bool physical = false;
  };

  /// An event that a node schedules for itself.
  struct action {
    std::string name;

    /// The type of its values.
    std::string type = {};
  };

  /// A reaction, a trigger or a startup of a node.
  struct reaction {
    std::string name;

    /// The inputs that trigger it, as indices within the node.
    std::vector<std::uint32_t> triggers = {};

    /// Closes loops: values on a loop reach it after one microstep.
    bool eager = false;

    /// A trigger, which is called from outside of the application.
    bool trigger = false;

    /// Runs at the start.
    bool startup = false;

    /// The actions that trigger it, as indices within the node.
    std::vector<std::uint32_t> actions = {};
  };

  struct node {
    std::string name;

    /// The process that runs it. Empty if there is only one, or if it is
    /// unknown.
    std::string process = {};

    /// The number of the node's group. None if the node has no group, or if
    /// groups are not computed yet.
    std::optional<std::uint32_t> group = {};

    std::vector<port> inputs = {};
    std::vector<port> outputs = {};

    /// In their order of execution at one tag.
    std::vector<reaction> reactions = {};
    std::vector<action> actions = {};
  };

  /// A connection. Nodes and ports are given by their indices.
  struct connection {
    std::uint32_t source = 0;
    std::uint32_t output = 0;
    std::uint32_t target = 0;
    std::uint32_t input = 0;

    /// Unused if the connection is physical.
    delay distance = {};

    bool physical = false;

    /// Whether it is part of a loop of logical connections.
    bool in_loop = false;

    /// The number of latest values that a physical connection keeps; 0 if it
    /// drops the newest instead.
    std::uint32_t keep_latest = 0;
  };

  // -- member variables -------------------------------------------------------

  /// In the order of declaration, as are the connections.
  std::vector<node> nodes = {};
  std::vector<connection> connections = {};
};

} // namespace caf::rosia
