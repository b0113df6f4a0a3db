// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/graph_description.hpp"
#include "engine/connection.hpp"
#include "engine/instant_loop.hpp"
#include "engine/latest_values.hpp"
#include "engine/link_array.hpp"
#include "engine/loop_time_table.hpp"
#include "engine/node_config.hpp"
#include "engine/reaction_graph.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace caf::rosia::engine {

using connection_spec = graph_description::connection;

/// The graph in the engine's form (section 2 of the semantics), and properties
/// that are computed before it runs. Tests: test/engine/topology_test.cpp.
class topology {
public:
  /// Names a port for error messages: a node, whether the port is an output,
  /// its index.
  using namer
    = std::function<std::string(node_id, bool output, std::uint32_t index)>;

  /// Describes a node: its name and its reactions. Called for nodes in loops of
  /// connections without delay only.
  using describer = reaction_graph::describer;

  /// Returns the inlets and outlets that a connection leads through, in quotes
  /// and with " to " after each.
  using path_namer = std::function<std::string(std::size_t connection)>;

  /// @param external per node: whether it accepts values from outside of the
  ///   application.
  /// @throws graph_error for a negative delay, for two ports that are connected
  /// twice, for a cycle of reactions without delay [2.4, 10.1.3], and for a
  /// maximal wait in a loop [10.10.2].
  /// @param describe if null, the reactions of a node may read and write all of
  ///   its ports.
  topology(std::vector<bool> external, std::vector<connection_spec> connections,
           const namer& name, const describer& describe = {},
           const path_namer& path = {});

  topology(topology&&) noexcept;

  topology& operator=(topology&&) noexcept;

  ~topology();

  // -- properties -------------------------------------------------------------

  std::size_t nodes() const noexcept {
    return external_.size();
  }

  /// Returns the connections in the order of declaration, with the loops that
  /// they are part of, and the microsteps that were added in loops of zero
  /// delay [2.6].
  const std::vector<connection_spec>& connections() const noexcept {
    return connections_;
  }

  /// Returns whether two nodes are members of one loop of logical connections,
  /// or the same node with a connection to itself.
  bool in_same_loop(node_id x, node_id y) const noexcept {
    return loop_of_[x] != no_loop && loop_of_[x] == loop_of_[y];
  }

  /// Returns the number of members of a loop.
  std::size_t loop_size(std::uint32_t loop) const noexcept {
    return loops_[loop].size();
  }

  static constexpr std::uint32_t no_loop = ~std::uint32_t{0};

  /// Returns the number of the loop that a node is a member of, or `no_loop`.
  std::uint32_t loop_of(node_id x) const noexcept {
    return loop_of_[x];
  }

  /// Returns whether a node is in a loop of nodes without delay, which is
  /// executed reaction by reaction.
  bool in_instant_loop(node_id x) const noexcept {
    return !instant_loop_of_.empty() && instant_loop_of_[x] != no_loop;
  }

  /// Returns the members of each loop that contains a loop without delay. The
  /// members have to be executed together.
  std::vector<std::vector<node_id>> inseparable_loops() const;

  /// Returns the connections to a node, by their index at the node.
  std::span<const std::uint32_t> incoming(node_id x) const noexcept {
    return in_.of(x);
  }

  /// Returns the connections from a node, by their index at the node.
  std::span<const std::uint32_t> outgoing(node_id x) const noexcept {
    return out_.of(x);
  }

  /// Returns the index of a connection in `incoming` of its target.
  std::uint32_t index_at_target(std::uint32_t connection) const noexcept {
    return in_.index[connection];
  }

  /// Returns the index of a connection in `outgoing` of its source.
  std::uint32_t index_at_source(std::uint32_t connection) const noexcept {
    return out_.index[connection];
  }

  /// Returns a node's position in the order of execution at one tag. The nodes
  /// that it may depend on at the same tag are before it.
  std::uint32_t rank(node_id x) const noexcept {
    return rank_[x];
  }

  /// Finds the nodes that execute the last tag [10.6.3]: those that have a
  /// reaction to `at_shutdown`, and those that they reach without delay.
  /// @param react per node: whether it has such a reaction.
  void find_last_tag(const std::vector<bool>& react);

  /// Returns whether a node executes the last tag.
  bool executes_last_tag(node_id x) const noexcept {
    return !executes_last_tag_.empty() && executes_last_tag_[x];
  }

  // -- wiring -----------------------------------------------------------------

  /// Creates loop time tables. The runtime supplies tables that threads can
  /// share.
  using loop_time_table_factory
    = std::function<std::unique_ptr<loop_time_table>(
      std::vector<node_id>, const std::vector<loop_time_table::edge>&,
      const std::vector<bool>&)>;

  /// The shared state of a running graph: loop time tables, and one link for
  /// each connection.
  class wiring {
  public:
    /// Sets the connections, peers, and the loop of a node, and the ranges of
    /// the connections in its outputs (`config.outputs` is set).
    void wire(node_id node, initial_config& config) const;

    /// Returns the link of a connection, which its ends in this process share.
    link& link_of(std::uint32_t connection) const noexcept {
      return links_[connection];
    }

  private:
    friend class topology;

    /// Returns null if the connection does not keep the latest values.
    latest_values* latest_values_of(std::uint32_t connection) const;

    const topology* graph_ = nullptr;
    std::vector<std::unique_ptr<loop_time_table>> loop_time_tables_;
    std::vector<std::unique_ptr<instant_loop>> instant_loops_;
    std::unordered_map<std::uint32_t, std::unique_ptr<latest_values>>
      latest_values_; // by connection
    link_array links_;
  };

  /// @pre The topology outlives the result, and is not moved.
  wiring make_wiring(const loop_time_table_factory& make = {}) const;

private:
  /// The numbers of connections by node, in compressed rows.
  struct rows {
    std::vector<std::uint32_t> first; // per node, and the end
    std::vector<std::uint32_t> row;
    std::vector<std::uint32_t> index; // per connection: that at its node

    std::span<const std::uint32_t> of(node_id x) const noexcept {
      return std::span{row}.subspan(first[x], first[x + 1] - first[x]);
    }
  };

  void index_connections();

  void refuse_twins(const namer& name, const path_namer& path) const;

  /// @throws graph_error for a connection with a maximal wait in a loop of
  /// logical connections [10.10.2].
  void refuse_waits_in_loops(const namer& name, const path_namer& path) const;

  /// Returns the connections without delay in loops of such connections.
  std::vector<std::uint32_t> find_zero_loops() const;

  /// @returns the connections that are in such loops nevertheless.
  std::vector<std::uint32_t> add_microsteps(const describer& describe);

  /// Finds the loops of nodes without delay, and the order of their reactions.
  /// @param reactions has no cycle.
  void find_instant_loops(const reaction_graph& reactions);

  [[noreturn]] void refuse_cycle(
    const reaction_graph& reactions,
    const std::vector<reaction_graph::step>& cycle, const namer& name,
    bool is_described, const path_namer& path) const;

  void find_loops();

  void find_requests();

  void find_ranks();

  std::vector<bool> external_;
  std::vector<connection_spec> connections_;

  rows in_;
  rows out_; // the connections of an output are contiguous
  std::vector<std::uint32_t> loop_of_;   // per node
  std::vector<std::uint32_t> member_of_; // per node: its index in the loop
  std::vector<std::vector<node_id>> loops_;
  std::vector<instant_loop::plan> instant_loops_;
  std::vector<std::uint32_t>
    instant_loop_of_;               // per node; empty if there is none
  std::vector<std::uint32_t> rank_; // per node
  std::vector<bool>
    needs_requests_; // per node, see `in_connection::needs_requests`
  std::vector<bool> executes_last_tag_; // per node; empty if none does
};

/// Returns whether a connection is logical and without delay.
bool is_instant(const connection_spec& x) noexcept;

/// @throws graph_error if the delay of a connection is negative [2.4].
void refuse_negative_delay(
  const connection_spec& x, const topology::namer& name);

} // namespace caf::rosia::engine
