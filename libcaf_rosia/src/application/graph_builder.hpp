// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "application/name_index.hpp"
#include "caf/rosia/application.hpp"
#include "engine/topology.hpp"

#include <spdlog/logger.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace caf::rosia::detail {

/// The nodes and connections that a program declares, before they run. If the
/// application has several processes, a node is created once it is known that
/// this process runs it.
class graph_builder {
public:
  // -- member types -----------------------------------------------------------

  /// A connection whose ports are given by name, as "node.port".
  struct named_ports {
    std::string from;
    std::string to;
  };

  /// A connection whose ports are given by members of nodes that may run in
  /// other processes.
  struct member_ports {
    member_port output;
    member_port input;
    std::string type;
  };

  /// A connection. Most are given by their ports, and there may be many.
  struct connection {
    /// The part that all processes know: without nodes, if it has names;
    /// without ports, if it has members.
    engine::connection_spec spec;
    std::unique_ptr<named_ports> names = nullptr;
    std::unique_ptr<member_ports> members = nullptr;
  };

  /// A node of an application with several processes.
  struct declared_node {
    std::string name;
    std::string type_name;
    const node_type* type;
    std::unique_ptr<node_factory> factory;
    std::string process = {}; // empty if the program did not place it
    std::optional<engine::node_id> companion = {}; // the node that determines
                                                   // its process
  };

  // -- constructors, destructors ----------------------------------------------

  /// @param log the logger for warnings about nodes.
  /// @param max_in_flight the limit for values of physical actions before the
  /// run.
  graph_builder(std::shared_ptr<spdlog::logger> log,
                std::uint32_t max_in_flight, bool distributed);

  ~graph_builder();

  // -- nodes ------------------------------------------------------------------

  /// Adds a node [2.1].
  /// @throws graph_error if the members of the node do not fit together.
  engine::node_id add(std::string name, std::unique_ptr<node> instance,
                      const node_type& type);

  engine::node_id add(declared_node declaration);

  std::size_t size() const noexcept {
    return nodes_.size();
  }

  const std::string& name_of(engine::node_id id) const noexcept;

  bool has_name(const std::string& name) const;

  /// Returns null if this process does not run the node, or has not created it
  /// yet.
  node* find(engine::node_id id) const noexcept {
    return nodes_[id].get();
  }

  /// Returns all nodes; null like `find`.
  std::vector<node*> instances() const;

  /// Returns a node of this process. Creates it if it does not exist.
  /// @pre The application has several processes.
  node& instance(engine::node_id id);

  // -- processes, if the application has several ------------------------------

  bool is_distributed() const noexcept {
    return distributed_;
  }

  /// Returns the declarations, by node.
  const std::vector<declared_node>& declared() const noexcept {
    return declared_;
  }

  void place(engine::node_id id, std::string process) {
    declared_[id].process = std::move(process);
  }

  /// Places a node in the same process as `other`.
  void place_with(engine::node_id id, engine::node_id other) {
    declared_[id].companion = other;
  }

  /// Returns the process that the program or the option placed a node in; empty
  /// if neither did.
  std::string process_of(engine::node_id id, std::string_view placement) const;

  // -- connections ------------------------------------------------------------

  void connect(connection x) {
    connections_.push_back(std::move(x));
  }

  /// Returns the connections in the order of declaration.
  const std::vector<connection>& connections() const noexcept {
    return connections_;
  }

  /// Returns the nodes at the ends of a connection, its delay and its kind.
  /// @throws graph_error if one of the nodes does not exist.
  engine::connection_spec outline(const connection& x) const;

  // -- the graph --------------------------------------------------------------

  /// Returns the graph.
  /// @throws graph_error for a mistake in the graph.
  /// @pre All nodes are in this process.
  engine::topology make_graph() const;

  /// Frees the data that is not needed after the graph was made.
  void release();

private:
  /// Returns the names for the index.
  auto namer() const noexcept {
    return
      [this](engine::node_id id) -> const std::string& { return name_of(id); };
  }

  /// Completes a node whose members were all constructed.
  void complete(node& x, const std::string& name, const node_type& type);

  /// Returns the input at this address, as "node.port"; empty if there is none.
  std::string find_input_at(const typed_member* address) const;

  /// @param port of the form "node.port".
  engine::node_id find_node(std::string_view port) const;

  /// Looks up the ports of a connection that is given by names.
  engine::connection_spec resolve(const connection& x) const;

  std::shared_ptr<spdlog::logger> log_;
  std::uint32_t max_in_flight_;
  bool distributed_;
  std::vector<std::unique_ptr<node>> nodes_;
  std::vector<declared_node> declared_; // the declarations, if distributed
  name_index ids_;
  std::vector<connection> connections_;
};

} // namespace caf::rosia::detail
