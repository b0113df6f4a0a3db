// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "application/graph_builder.hpp"
#include "distributed/process_messages.hpp"
#include "engine/topology.hpp"
#include "runtime/node_directory.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace caf::rosia::detail {

/// Checks the option `placement` against the nodes that a program declares.
/// @returns a warning for each pattern that matches no node, which may be
///   intended.
/// @throws graph_error if the option names a node that does not exist.
std::vector<std::string> check_placement(
  const graph_builder& declared, const std::string& placement);

/// The graph of an application with several processes: the placement of the
/// nodes, the information that this process sends, and the agreement of all
/// processes. Tests: test/application/agreed_graph_test.cpp.
class agreed_graph {
public:
  // -- constructors, destructors ----------------------------------------------

  /// Places all nodes.
  /// @param declared must outlive this.
  /// @param processes the coordinator's is first.
  /// @param placement the option.
  /// @throws graph_error if a connection has an unknown node, or a node was
  /// placed in an unknown process.
  agreed_graph(graph_builder& declared, std::vector<std::string> processes,
               engine::process_id self, std::string placement);

  ~agreed_graph();

  // -- properties -------------------------------------------------------------

  /// Returns, by node, the process that runs it.
  const std::vector<engine::process_id>& homes() const noexcept {
    return homes_;
  }

  /// Returns the processes with which this one has connections, in ascending
  /// order.
  std::vector<engine::process_id> neighbours(
    const std::vector<engine::connection_spec>& connections) const;

  // -- agreement --------------------------------------------------------------

  /// Returns the information that this process sends to the coordinator.
  /// Creates the nodes that it runs.
  join_request request();

  /// Returns the agreement of all processes without communication. Creates all
  /// nodes, so that they must not be run afterwards.
  join_reply agree_alone();

  /// Returns all nodes, according to the agreement.
  node_directory make_directory(const join_reply& agreed) const;

  /// @throws graph_error for a mistake in the graph.
  engine::topology make_graph(
    const node_directory& nodes, const join_reply& agreed) const;

private:
  void place_nodes();

  /// @throws graph_error for a loop that contains a loop of nodes without
  /// delay,
  ///   and whose nodes are in several processes [10.1.9].
  void refuse_divided_loops(const engine::topology& graph,
                            const node_directory& nodes) const;

  /// Returns the graph as text, with a line for each node and each connection.
  std::vector<std::string> describe() const;

  /// Returns the ports at the ends of connections, by end [10.2.5].
  /// @param all also those of nodes of other processes.
  std::vector<end_port> list_ports(bool all) const;

  graph_builder& declared_;
  std::vector<std::string> processes_;
  engine::process_id self_;
  std::string placement_;
  std::vector<graph_builder::ends> ends_; // by connection
  std::vector<engine::process_id> homes_; // by node
};

} // namespace caf::rosia::detail
