// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "application/composites.hpp"
#include "caf/rosia/detail/node_id.hpp"
#include "caf/rosia/port_ref.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace caf::rosia::detail {

/// The ports on one side of a connection that joins several ports, in groups:
/// each has the ports of one member of a node. Tests:
/// test/application/banks_test.cpp, test/application/multiports_test.cpp.
struct port_bundle {
  struct group {
    engine::node_id node = 0;

    /// Adjacent groups with the same number, other than 0, are interleaved.
    std::uint32_t block = 0;

    port_indices ports = {};
  };

  std::vector<group> groups = {};

  /// Whether the ports are repeated as often as the other side needs.
  bool repeated = false;
};

/// A port, by its node and its index there.
using node_port = std::pair<engine::node_id, std::uint32_t>;

/// The names of nodes and ports, of composites and inlets, for messages. Tests:
/// test/application/graph_builder_test.cpp.
class port_names {
public:
  const std::string& node(engine::node_id id) const {
    return composites::is_relay(id)
             ? relays_->path(relays_->relay_of(id).owner)
             : name_of_node(id);
  }

  std::string port(engine::node_id id, bool output, std::uint32_t index) const {
    return composites::is_relay(id)
             ? relays_->relay_of(id).name
             : name_of_port(id, output, index);
  }

  /// Returns "node.port".
  std::string path(engine::node_id id, bool output, std::uint32_t index) const {
    return node(id) + '.' + port(id, output, index);
  }

protected:
  explicit port_names(const composites& relays) noexcept : relays_(&relays) {
    // nop
  }

  ~port_names() = default;

  virtual const std::string& name_of_node(engine::node_id id) const = 0;

  virtual std::string name_of_port(
    engine::node_id id, bool output, std::uint32_t index) const = 0;

private:
  const composites* relays_;
};

/// Returns the pairs of ports to connect, in order [10.2.3].
/// @throws graph_error if the numbers of ports do not fit [10.2.4].
std::vector<std::pair<node_port, node_port>> pair_ports(
  const port_bundle& outputs, const port_bundle& inputs,
  const port_names& names);

} // namespace caf::rosia::detail
