// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "application/composites.hpp"
#include "application/name_index.hpp"
#include "application/port_bundle.hpp"
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
/// this process runs it. Tests: test/application/graph_builder_test.cpp.
class graph_builder {
public:
  // -- member types -----------------------------------------------------------

  /// Connected ports that are given by name, as "node.port".
  struct named_ports {
    std::string from;
    std::string to;
  };

  /// One or several ports of a node, which may run in another process: by a
  /// member, or by name.
  struct end {
    engine::node_id node = 0;
    std::uint32_t block = 0; // as in `port_bundle`
    member_port member = {};
    std::string name = {}; // as "node.port"; empty if there is a member
  };

  /// Connected ports that may be those of several nodes.
  struct ends {
    std::vector<end> outputs = {};
    std::vector<end> inputs = {};
    bool repeated = false; // as in `port_bundle`
    std::string type = {}; // empty if the ports are given by name
  };

  /// Connections that are declared together. Most are one connection that is
  /// given by its ports, and there may be many.
  struct connection {
    /// Without nodes and ports, if there are names or ends.
    engine::connection_spec spec;
    std::unique_ptr<named_ports> names = nullptr;
    std::unique_ptr<detail::graph_builder::ends> members = nullptr;
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
  /// @param set the values of parameters, as in `options`.
  graph_builder(std::shared_ptr<spdlog::logger> log,
                std::uint32_t max_in_flight, bool distributed,
                std::vector<std::string> set);

  ~graph_builder();

  // -- nodes ------------------------------------------------------------------

  /// Adds a node [2.1].
  /// @throws graph_error if the members of the node do not fit together.
  engine::node_id add(std::string name, std::unique_ptr<node> instance,
                      const node_type& type);

  engine::node_id add(declared_node declaration);

  /// Returns the values of parameters, as in `options`.
  const std::vector<std::string>& settings() const noexcept {
    return settings_;
  }

  std::size_t size() const noexcept {
    return nodes_.size();
  }

  const std::string& name_of(engine::node_id id) const noexcept;

  bool has_name(const std::string& name) const;

  /// Adds a bank, whose nodes follow [10.2.2].
  void add_bank(const std::string& name, std::size_t size) {
    banks_.push_back({name, size});
  }

  bool has_bank(const std::string& name) const {
    return find_bank(name) != nullptr;
  }

  detail::composites& composites() noexcept {
    return composites_;
  }

  const detail::composites& composites() const noexcept {
    return composites_;
  }

  /// Returns the name of a node, or of an inlet or outlet with its composite:
  /// "leg[0].angle".
  const std::string& name_at(engine::node_id id) const noexcept {
    return detail::composites::is_relay(id)
             ? composites_.relay_of(id).path
             : name_of(id);
  }

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

  /// Connects ports of nodes in this process.
  /// @throws graph_error if their numbers do not fit [10.2.4].
  void connect(const engine::connection_spec& spec, const port_bundle& outputs,
               const port_bundle& inputs);

  /// Lets receivers wait without a limit, so that no value is tardy.
  void wait_forever() noexcept;

  /// Returns the connections in the order of declaration.
  const std::vector<connection>& connections() const noexcept {
    return connections_;
  }

  /// Returns the nodes at the ends of connections that are not given by their
  /// ports.
  /// @throws graph_error if one of the nodes does not exist.
  ends ends_of(const connection& x) const;

  /// Warns of inlets and outlets that lead nowhere.
  void warn_of_dangling(
    const std::vector<engine::connection_spec>& segments) const;

  /// Returns the ports at an end.
  /// @throws graph_error if a port does not exist.
  /// @pre The node is in this process.
  port_indices ports_at(const end& x, bool output) const;

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
  void complete(engine::node_id id, node& x, const std::string& name,
                const node_type& type);

  struct bank {
    std::string name;
    std::size_t size;
  };

  /// The name of a channel without ports.
  struct empty_channel {
    engine::node_id node;
    bool output;
    std::string name;
  };

  /// Returns the input at this address, as "node.port"; empty if there is none.
  std::string find_input_at(const member_base* address) const;

  const bank* find_bank(std::string_view name) const;

  /// Adds the ends at a node, or at a composite.
  /// @param name the name of the node.
  /// @param port of the form "name.port" or "bank[*].port".
  void add_ends(std::vector<end>& to, const std::string& name,
                const std::string& port) const;

  /// @param port of the form "node.port" or "bank[*].port".
  std::vector<end> find_ends(const std::string& port) const;

  /// @param port the path to which the name belongs.
  engine::node_id find_node(const std::string& name,
                            const std::string& port) const;

  /// Adds connections that are given by names.
  void resolve(const connection& x,
               std::vector<engine::connection_spec>& into) const;

  std::shared_ptr<spdlog::logger> log_;
  std::uint32_t max_in_flight_;
  bool distributed_;
  std::vector<std::string> settings_;
  std::vector<std::unique_ptr<node>> nodes_;
  std::vector<declared_node> declared_; // the declarations, if distributed
  name_index ids_;
  std::vector<bank> banks_;
  std::vector<empty_channel> empty_channels_;
  detail::composites composites_;
  std::vector<connection> connections_;
};

} // namespace caf::rosia::detail
