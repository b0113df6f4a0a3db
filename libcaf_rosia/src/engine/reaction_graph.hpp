// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/node_id.hpp"
#include "caf/rosia/graph_description.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace caf::rosia::engine {

/// Returns whether an input triggers a reaction of its node.
bool is_triggered(const graph_description::reaction& x,
                  std::uint32_t input) noexcept;

/// Returns whether `at_shutdown` is among the triggers of a reaction [10.6.1].
bool is_at_shutdown(
  std::span<const graph_description::trigger> triggers) noexcept;

/// Returns whether a reaction may read an input of its node [10.1.1].
bool may_read(const graph_description::reaction& x,
              std::uint32_t input) noexcept;

/// Returns whether it may write an output of its node.
bool may_write(const graph_description::reaction& x,
               std::uint32_t output) noexcept;

/// The reactions of nodes in loops without delay, and which of them depend on
/// each other at one tag: on the reactions before in their node, except those
/// of other modes [10.7.6], and on the reactions that may write what they may
/// read [10.1.2]. The resumptions of a
/// node are omitted: nothing precedes them at their tag, so they are in no
/// cycle. Tests: test/engine/reaction_graph_test.cpp.
class reaction_graph {
public:
  using connection_spec = graph_description::connection;

  /// Describes a node. Only its name and its reactions are used.
  using describer = std::function<graph_description::node(node_id)>;

  /// A step of a cycle: a reaction writes what a reaction reads.
  struct step {
    std::uint32_t connection;
    std::uint32_t writer; // the index of the reaction in its node
    std::uint32_t reader;
  };

  /// @param all the connections of the graph, which outlive this object.
  /// @param considered the numbers of the connections that are considered.
  /// @param describe describes the nodes at their ends. If null, each node has
  ///   one reaction, which reads and writes all ports.
  reaction_graph(const std::vector<connection_spec>& all,
                 std::vector<std::uint32_t> considered,
                 const describer& describe);

  reaction_graph(const reaction_graph&) = delete;

  reaction_graph& operator=(const reaction_graph&) = delete;

  ~reaction_graph();

  /// A reaction of a node.
  struct place {
    node_id node;
    std::uint32_t reaction; // its index in the node
  };

  /// Returns the reactions of all nodes at the ends of considered connections,
  /// without the startups, each after those that it depends on.
  /// @pre There is no cycle.
  std::vector<place> order() const;

  /// Returns whether a considered connection carries an edge within a strongly
  /// connected component.
  bool is_in_cycle(std::uint32_t connection) const;

  /// Returns a cycle with as few reactions as possible. In graphs of very many
  /// reactions, it may have a few more. Without a cycle, it is empty. The
  /// reader of a step and the writer of the next one are in the same node; the
  /// writer is the reader, or is declared after it.
  std::vector<step> find_cycle() const;

  /// Returns a node at the end of a considered connection.
  /// @pre There is a describer.
  const graph_description::node& describe(node_id id) const {
    return nodes_.at(id).description;
  }

private:
  /// A number for each reaction that is no startup.
  using vertex = std::uint32_t;

  struct edge {
    vertex source;
    vertex target;
  };

  struct node {
    graph_description::node description;
    std::vector<std::uint32_t> reactions; // by vertex: the index in the node
    vertex first = 0;
    std::vector<std::uint32_t> outgoing; // considered connections
  };

  void add_node(node_id id, const describer& describe);

  static const graph_description::reaction& reaction_at(
    const node& x, vertex v) {
    return x.description.reactions[x.reactions[v - x.first]];
  }

  /// Returns edges from the last reaction of each mode that may write a
  /// connection's output to the first one that may read its input. If any
  /// reaction that may write it and any that may read it are in a cycle, so are
  /// two of these, because all edges within a mode lead to later reactions.
  std::vector<edge> ends_of(std::uint32_t connection) const;

  /// Adds edges from each reaction to those that it precedes in its node.
  void add_order(std::vector<edge>& to) const;

  /// Returns whether edges of a node lead from a reaction to one that is not
  /// declared before it.
  bool leads_to(vertex x, vertex y) const;

  void find_components();

  /// Returns a shortest cycle through a vertex that is in a cycle.
  /// @param shorter_than the result is empty if the cycle is not shorter.
  /// @param visited is increased by the number of visited reactions.
  std::vector<step> find_cycle_through(
    vertex start, std::size_t shorter_than, std::size_t& visited) const;

  const std::vector<connection_spec>& all_;
  std::vector<std::uint32_t> considered_;
  std::unordered_map<node_id, node> nodes_;
  std::vector<node_id> owners_;           // by vertex
  std::vector<std::uint32_t> modes_;      // by vertex
  std::vector<std::uint32_t> components_; // by vertex
};

} // namespace caf::rosia::engine
