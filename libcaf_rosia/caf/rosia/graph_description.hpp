// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/inspect.hpp"
#include "caf/rosia/logical_time.hpp"
#include "caf/rosia/spacing.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace caf::rosia {

/// A graph as plain data: the only description of what nodes, members and
/// connections are. Diagrams, traces, recordings and checks read it, and the
/// processes of an application exchange it. `application::diagram()` returns
/// one. The names are those that users chose, and may contain any characters.
struct graph_description {
  // -- member types -----------------------------------------------------------

  /// In place of the index of a mode among the actions.
  static constexpr std::uint32_t no_mode = ~std::uint32_t{0};

  /// The spacing of an action [10.5.2].
  struct spacing {
    /// In nanoseconds; negative if there is none.
    std::int64_t distance = -1;

    spacing_policy policy = spacing_policy::defer;

    bool exists() const noexcept {
      return distance >= 0;
    }

    template <class Inspector>
    friend auto inspect(Inspector& f, spacing& x) {
      return inspect_members(f, x, x.distance, x.policy);
    }
  };

  /// An input or an output.
  struct port {
    std::string name;

    /// The type of its values.
    std::string type = {};

    /// Whether it is a physical action, which is an input.
    bool physical = false;

    /// Whether its values can be sent to other processes.
    bool can_travel = false;

    /// Whether its values are recorded.
    bool recorded = false;

    /// The least distance, in nanoseconds, of a physical action's tags from
    /// physical time.
    std::int64_t after = 0;

    /// That of a physical action.
    graph_description::spacing spacing = {};

    template <class Inspector>
    friend auto inspect(Inspector& f, port& x) {
      return inspect_members(
        f, x, x.name, x.type, x.physical, x.can_travel, x.after, x.spacing);
    }
  };

  /// An event that a node schedules for itself.
  struct action {
    std::string name;

    /// The type of its values. Empty for a tick, a watchdog and a mode.
    std::string type = {};

    /// Whether it is a tick, with an offset and a period in nanoseconds. The
    /// period of a tick that is present only once is 0.
    bool ticks = false;
    std::int64_t offset = 0;
    std::int64_t period = 0;

    graph_description::spacing spacing = {};

    /// The timeout of a watchdog, in nanoseconds; negative if it is none.
    std::int64_t timeout = -1;

    /// Whether it is a mode of the node [10.7.1].
    bool is_mode = false;

    /// The mode that it belongs to, an action; `no_mode` if there is none.
    std::uint32_t mode = no_mode;

    template <class Inspector>
    friend auto inspect(Inspector& f, action& x) {
      return inspect_members(
        f, x, x.name, x.type, x.ticks, x.offset, x.period, x.spacing, x.timeout,
        x.is_mode, x.mode);
    }
  };

  /// A constant that options can set.
  struct parameter {
    std::string name;

    /// Describes its values: "a number", "true or false".
    std::string values = {};

    /// Its value, and the one in the code, as text.
    std::string value = {};
    std::string initial = {};

    template <class Inspector>
    friend auto inspect(Inspector& f, parameter& x) {
      return inspect_members(f, x, x.name, x.values, x.value, x.initial);
    }
  };

  /// The kinds of members that trigger reactions.
  enum class trigger_kind : std::uint8_t {
    input,
    action,
    at_shutdown, // the last tag of the application; has no member
  };

  /// A trigger of a reaction.
  struct trigger {
    trigger_kind kind = trigger_kind::input;

    /// The index among the members of that kind in the node; 0 if there are
    /// none.
    std::uint32_t index = 0;

    friend bool operator==(const trigger&, const trigger&) = default;

    template <class Inspector>
    friend auto inspect(Inspector& f, trigger& x) {
      return inspect_members(f, x, x.kind, x.index);
    }
  };

  enum class reaction_kind : std::uint8_t {
    plain,
    eager,   // values on a loop reach it after one microstep
    startup, // runs at the start
  };

  /// A reaction or a startup of a node.
  struct reaction {
    std::string name;
    std::vector<trigger> triggers = {};
    reaction_kind kind = reaction_kind::plain;

    /// Whether it may yield.
    bool yields = false;

    /// Whether it declares the ports that it accesses [10.1.1]. If not, it may
    /// access all ports of its node.
    bool declares = false;

    /// The declared ports, by their indices in the node, in ascending order.
    /// A reaction also reads the inputs that trigger it.
    std::vector<std::uint32_t> reads = {};
    std::vector<std::uint32_t> writes = {};
    std::vector<std::uint32_t> writes_later = {}; // after it has yielded

    /// Its deadline in nanoseconds; negative if it has none, or if a state has
    /// it.
    std::int64_t deadline = -1;

    /// The state that has its deadline; empty if none has.
    std::string deadline_state = {};

    /// The mode that it belongs to, an action; `no_mode` if there is none.
    std::uint32_t mode = no_mode;

    /// Returns whether it has a deadline.
    bool has_deadline() const noexcept {
      return deadline >= 0 || !deadline_state.empty();
    }

    template <class Inspector>
    friend auto inspect(Inspector& f, reaction& x) {
      return inspect_members(
        f, x, x.name, x.triggers, x.kind, x.yields, x.declares, x.reads,
        x.writes, x.writes_later, x.deadline, x.deadline_state, x.mode);
    }
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
    std::vector<parameter> parameters = {};

    /// Omits what is the same in all processes, and what only one knows.
    template <class Inspector>
    friend auto inspect(Inspector& f, node& x) {
      return inspect_members(
        f, x, x.name, x.inputs, x.outputs, x.reactions, x.actions,
        x.parameters);
    }
  };

  /// A connection. Nodes and ports are given by their indices.
  struct connection {
    std::uint32_t source = 0;
    std::uint32_t output = 0;
    std::uint32_t target = 0;
    std::uint32_t input = 0;

    /// Unused if the connection is physical.
    [[no_unique_address]] delay distance{}; // the next members use its padding

    bool physical = false;

    /// Whether the input triggers an eager reaction.
    bool eager = false;

    /// Whether the input triggers a reaction.
    bool triggers = true;

    /// Whether a reaction may read the input. Without declarations, a reaction
    /// may read all inputs of its node.
    bool is_read = true;

    /// The number of latest values that may wait for a tag on a physical
    /// connection, before the oldest is dropped. 0: the newest is dropped.
    std::uint32_t keep_latest = 0;

    /// Whether it is part of a loop of logical connections.
    bool in_loop = false;

    /// The maximal wait of the receiver for a late sender, in nanoseconds
    /// [10.10.1]; negative without a limit.
    std::int64_t max_wait = -1;

    /// Returns whether the connection has a maximal wait.
    bool has_max_wait() const noexcept {
      return max_wait >= 0;
    }
  };

  // -- properties -------------------------------------------------------------

  /// Returns the name of a trigger of the node's reactions.
  static std::string name_of(const node& owner, const trigger& x) {
    switch (x.kind) {
      case trigger_kind::input:
        return owner.inputs[x.index].name;
      case trigger_kind::action:
        return owner.actions[x.index].name;
      default:
        return "at_shutdown";
    }
  }

  /// Returns the output of a connection, as "node.port".
  std::string output_of(const connection& x) const {
    auto& from = nodes[x.source];
    return from.name + '.' + from.outputs[x.output].name;
  }

  /// Returns the input of a connection, as "node.port".
  std::string input_of(const connection& x) const {
    auto& to = nodes[x.target];
    return to.name + '.' + to.inputs[x.input].name;
  }

  // -- member variables -------------------------------------------------------

  /// In the order of declaration, as are the connections.
  std::vector<node> nodes = {};
  std::vector<connection> connections = {};
};

} // namespace caf::rosia
