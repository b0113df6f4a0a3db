// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/graph_description.hpp"
#include "caf/rosia/node.hpp"
#include "engine/remote_loop_table.hpp"
#include "engine/topology.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace caf::rosia::detail {

graph_description::parameter describe(const parameter_base& x);

/// Describes a node without its process and group.
graph_description::node describe(node& x);

/// Describes only the name and the reactions of a node.
graph_description::node describe_reactions(node& x);

/// Returns whether the node can receive values from outside of the application.
bool is_external(const graph_description::node& x) noexcept;

/// Completes a connection with the properties of the target's input.
void describe_target(const graph_description::node& x,
                     engine::connection_spec& to) noexcept;

/// All nodes of an application: those of this process, and descriptions of the
/// nodes of other processes. Does not change during the run. Tests:
/// test/runtime/node_directory_test.cpp.
class node_directory {
public:
  // -- constructors, destructors ----------------------------------------------

  node_directory();

  /// Creates the directory of an application that runs in one process.
  explicit node_directory(std::vector<node*> nodes);

  /// @param nodes those of this process; null elsewhere.
  /// @param others descriptions of the nodes of other processes.
  /// @param homes by node: the process that runs it.
  node_directory(
    std::vector<node*> nodes, std::vector<graph_description::node> others,
    std::vector<engine::process_id> homes, std::vector<std::string> processes,
    engine::process_id self);

  node_directory(node_directory&&) noexcept;

  node_directory& operator=(node_directory&&) noexcept;

  ~node_directory();

  // -- nodes ------------------------------------------------------------------

  std::size_t size() const noexcept {
    return nodes_.size();
  }

  /// Returns null if another process runs the node.
  node* find(engine::node_id id) const noexcept {
    return nodes_[id];
  }

  /// Returns the nodes of this process, in ascending order.
  const std::vector<engine::node_id>& local() const noexcept {
    return local_;
  }

  const std::string& name(engine::node_id id) const noexcept;

  /// Describes a node with its process.
  graph_description::node describe(engine::node_id id) const;

  /// Describes the graph without groups.
  graph_description describe(const engine::topology& graph) const;

  const std::string& port_name(
    engine::node_id id, bool output, std::uint32_t index) const;

  /// Returns the name of the type of a port's values.
  std::string type_of(engine::node_id id, bool output,
                      std::uint32_t index) const;

  /// Returns "node.port".
  std::string path(engine::node_id id, bool output, std::uint32_t index) const;

  // -- processes --------------------------------------------------------------

  /// Returns the names of all processes; empty if there is only one.
  const std::vector<std::string>& processes() const noexcept {
    return processes_;
  }

  bool distributed() const noexcept {
    return !processes_.empty();
  }

  /// Returns this process. The coordinator's process is 0.
  engine::process_id self() const noexcept {
    return self_;
  }

  engine::process_id home(engine::node_id id) const noexcept {
    return homes_.empty() ? 0 : homes_[id];
  }

  /// Returns the nodes of a process, in ascending order.
  std::vector<engine::node_id> nodes_of(engine::process_id process) const;

  /// Returns "process 'name'", for messages.
  std::string process_text(engine::process_id process) const;

  /// Returns the process of a node, as a remark; empty if it is this process.
  std::string place_of(engine::node_id id) const;

private:
  std::vector<node*> nodes_;
  std::vector<engine::node_id> local_;
  std::vector<graph_description::node> others_;
  std::vector<engine::process_id> homes_;
  std::vector<std::string> processes_;
  engine::process_id self_ = 0;
};

} // namespace caf::rosia::detail
