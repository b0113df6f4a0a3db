// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_trace/event.hpp"
#include "rosia_trace/judge.hpp"
#include "rosia_trace/logical_time.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rosia_trace {

/// Nodes, ports, reactions and connections are numbered separately, in the
/// order of declaration over the whole graph.
using index = std::uint32_t;

struct declared_node {
  std::string_view name;
  /// Ranges: first, and one past the last.
  index first_input = 0, last_input = 0;
  index first_output = 0, last_output = 0;
  index first_reaction = 0, last_reaction = 0;
  index first_action = 0, last_action = 0;
  /// Whether it has a physical action.
  bool external = false;
  /// Number of the loop of logical connections. A node outside of loops has a
  /// unique number. Valid after `seal`.
  index loop = 0;
  /// Number of the loop of connections without delay, in the same way. Valid if
  /// the graph has such a loop.
  index instant_loop = 0;
  bool in_instant_loop = false;
};

/// The spacing of an action, in nanoseconds.
struct declared_spacing {
  /// Negative if there is none.
  std::int64_t distance = -1;
  /// Whether its policy is to replace or update events, which withdraws them.
  bool withdraws = false;

  bool exists() const noexcept {
    return distance >= 0;
  }
};

struct declared_input {
  std::string_view name;
  std::string_view type;
  index node = 0;
  bool physical = false;
  declared_spacing spacing;
  /// The reactions that it triggers.
  std::vector<index> reactions;
  /// The connections that end here.
  std::vector<index> connections;
};

struct declared_output {
  std::string_view name;
  std::string_view type;
  index node = 0;
  std::vector<index> connections;
};

struct declared_reaction {
  std::string_view name;
  index node = 0;
  bool is_startup = false;
  /// Whether the last tag triggers it.
  bool at_shutdown = false;
  /// Whether it declares the ports that it accesses; then, the inputs that it
  /// reads besides its triggers, the outputs that it writes, and those that it
  /// writes only after it has yielded.
  bool declares = false;
  std::vector<index> reads;
  std::vector<index> writes;
  std::vector<index> writes_later;
  bool has_deadline = false;
  /// Negative if a state has it, or if there is none.
  std::int64_t deadline = declaration::none;
  /// Its mode, an action, if there is one.
  std::optional<index> mode;
};

struct declared_action {
  std::string_view name;
  index node = 0;
  /// Whether it is a tick.
  bool ticks = false;
  std::int64_t offset = 0;
  /// 0 if it is present only once.
  std::int64_t period = 0;
  declared_spacing spacing;
  /// The timeout of a watchdog; negative if it is none.
  std::int64_t timeout = declaration::none;
  bool is_mode = false;
  /// Its mode, an action, if there is one.
  std::optional<index> mode;
  /// The reactions that it triggers.
  std::vector<index> reactions;
};

struct declared_connection {
  index from = 0;
  index to = 0;
  index sender = 0;
  index receiver = 0;
  time_delay delay;
  bool physical = false;
  /// The maximal wait in nanoseconds; negative if there is none.
  std::int64_t wait = -1;

  bool has_wait() const noexcept {
    return wait >= 0;
  }

  /// Returns whether it is logical and without delay.
  bool is_instant() const noexcept {
    return !physical && delay == time_delay{};
  }
};

/// The graph that a trace declares. A violation throws `broken_rule`.
class graph {
public:
  // -- building ---------------------------------------------------------------

  void add_node(const event& x, judge& rules);

  void add_connection(const event& x, judge& rules);

  /// Ends the declarations, and checks for loops of zero delay.
  void seal(judge& rules);

  bool sealed() const {
    return sealed_;
  }

  // -- finding; undeclared names violate the format ---------------------------

  index find_node(std::string_view name) const;

  index find_input(index node, std::string_view name) const;

  index find_output(index node, std::string_view name) const;

  index find_reaction(index node, std::string_view name) const;

  index find_action(index node, std::string_view name) const;

  bool has_reaction(index node, std::string_view name) const;

  /// @param to `node.port`
  index find_connection_to(index output, std::string_view to) const;

  /// @param from `node.port`
  index find_connection_from(std::string_view from, index input) const;

  // -- reading ----------------------------------------------------------------

  const std::vector<declared_node>& nodes() const {
    return nodes_;
  }

  const std::vector<declared_input>& inputs() const {
    return inputs_;
  }

  const std::vector<declared_output>& outputs() const {
    return outputs_;
  }

  const std::vector<declared_reaction>& reactions() const {
    return reactions_;
  }

  const std::vector<declared_action>& actions() const {
    return actions_;
  }

  const std::vector<declared_connection>& connections() const {
    return connections_;
  }

  /// Returns whether a reaction may read an input of its node.
  bool may_read(index reaction, index input) const;

  /// Returns whether two nodes, which a connection without delay joins, are in
  /// one loop of such connections.
  bool in_one_instant_loop(index x, index y) const {
    return nodes_[x].in_instant_loop
           && nodes_[x].instant_loop == nodes_[y].instant_loop;
  }

  // -- naming, for messages ---------------------------------------------------

  std::string node_name(index x) const;

  std::string input_name(index x) const;

  std::string output_name(index x) const;

  std::string reaction_name(index x) const;

  std::string action_name(index x) const;

  /// `"a.out" -> "b.in"`
  std::string connection_name(index x) const;

private:
  /// A name within a node.
  struct local_name {
    index node;
    std::string_view name;

    friend bool operator==(const local_name&, const local_name&) = default;
  };

  struct local_hash {
    std::size_t operator()(const local_name& x) const noexcept;
  };

  using local_names = std::unordered_map<local_name, index, local_hash>;
  using global_names = std::unordered_map<std::string_view, index>;

  /// The declarations by name.
  struct names {
    global_names nodes;
    local_names inputs;
    local_names outputs;
    local_names reactions;
    local_names actions;
    /// By `node.port`.
    global_names input_ends;
    global_names output_ends;
    /// By output and input.
    std::unordered_map<std::uint64_t, index> ends;
  };

  std::string_view keep(std::string_view text);

  void add_inputs(const event& x, judge& rules);

  void add_outputs(const event& x, judge& rules);

  void add_local(local_name name, index id, const char* kind,
                 local_names& known, judge& rules);

  /// Registers a port in its node, and as an end of connections.
  void add_port(local_name name, index id, const char* kind, local_names& local,
                global_names& ends, judge& rules);

  void add_actions(const event& x, judge& rules);

  void add_reactions(const event& x, judge& rules);

  /// Returns the mode of this name; none if the name is empty.
  std::optional<index> find_mode(
    index node, std::string_view name, judge& rules) const;

  index find_connection(index output, index input) const;

  /// Finds a declaration of a node. @param kind its name in messages.
  index find_local(const local_names& names, const char* kind, index node,
                   std::string_view name) const;

  /// Numbers the strongly connected components of some connections.
  template <class Follow>
  void find_components(index declared_node::*number, Follow&& follow);

  /// Returns whether some nodes are in loops without delay.
  bool has_instant_loops() const;

  /// Finds these nodes.
  void find_instant_loops();

  /// Returns a reaction that depends on itself at one tag, or on one that does;
  /// none if there is none.
  std::optional<index> find_on_cycle() const;

  std::vector<declared_node> nodes_;
  std::vector<declared_input> inputs_;
  std::vector<declared_output> outputs_;
  std::vector<declared_reaction> reactions_;
  std::vector<declared_action> actions_;
  std::vector<declared_connection> connections_;
  std::deque<std::string> texts_;
  names names_;
  bool sealed_ = false;
};

} // namespace rosia_trace
