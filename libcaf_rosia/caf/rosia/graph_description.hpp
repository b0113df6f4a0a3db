// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace caf::rosia {

/// A graph as plain data, for those who draw it or look at it: what
/// `application::diagram()` returns, and what a trace knows of the graph. All
/// names are as users gave them, so they may have any characters.
struct graph_description {
  // -- member types -----------------------------------------------------------

  /// An input or an output.
  struct port {
    std::string name;

    /// The type of its values.
    std::string type = {};

    /// An input that also takes values from outside of the application.
    bool physical = false;
  };

  /// What a node schedules for itself.
  struct action {
    std::string name;

    /// The type of its values.
    std::string type = {};
  };

  /// A piece of a node's code.
  struct reaction {
    std::string name;

    /// The inputs that trigger it: their indices at the node.
    std::vector<std::uint32_t> triggers = {};

    /// Runs a microstep after its values, without waiting for others.
    bool eager = false;

    /// A trigger: called from outside of the application.
    bool trigger = false;

    /// Runs at the start.
    bool startup = false;

    /// The actions that trigger it: their indices at the node.
    std::vector<std::uint32_t> actions = {};
  };

  struct node {
    std::string name;

    /// The process that runs it. Empty if there is only one, or if it is not
    /// known.
    std::string process = {};

    /// Nodes with the same number are executed as one. None if the node is
    /// alone, or if that is not known before it runs.
    std::optional<std::uint32_t> group = {};

    std::vector<port> inputs = {};
    std::vector<port> outputs = {};

    /// In the order in which they run at one tag.
    std::vector<reaction> reactions = {};
    std::vector<action> actions = {};
  };

  /// Nodes and ports are given by their indices.
  struct connection {
    std::uint32_t source = 0;
    std::uint32_t output = 0;
    std::uint32_t target = 0;
    std::uint32_t input = 0;

    /// Without a meaning if it is physical.
    delay distance = {};

    bool physical = false;

    /// It is a part of a loop of logical connections.
    bool in_loop = false;

    /// How many of the latest values a physical connection keeps; 0 if it drops
    /// the newest instead.
    std::uint32_t keep_latest = 0;
  };

  // -- member variables -------------------------------------------------------

  /// In the order of their declaration, as the connections.
  std::vector<node> nodes = {};
  std::vector<connection> connections = {};
};

} // namespace caf::rosia
