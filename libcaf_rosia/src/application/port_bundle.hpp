// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/node_id.hpp"
#include "caf/rosia/port_ref.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace caf::rosia::detail {

/// The ports on one side of a connection that joins several ports, in groups:
/// each has the ports of one member of a node.
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

/// The names of nodes and ports, for messages.
class port_names {
public:
  virtual const std::string& node(engine::node_id id) const = 0;

  virtual std::string port(engine::node_id id, bool output,
                           std::uint32_t index) const = 0;

protected:
  ~port_names() = default;
};

/// Returns the pairs of ports to connect, in order [10.2.3].
/// @throws graph_error if the numbers of ports do not fit [10.2.4].
std::vector<std::pair<node_port, node_port>> pair_ports(
  const port_bundle& outputs, const port_bundle& inputs,
  const port_names& names);

} // namespace caf::rosia::detail
