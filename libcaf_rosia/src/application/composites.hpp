// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/node_id.hpp"
#include "caf/rosia/fwd.hpp"
#include "engine/topology.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace caf::rosia::detail {

class port_names;

/// The composites of an application, and their inlets and outlets, which are
/// called *relays*. They exist only until the graph is made [10.9.3].
///
/// In a declared connection, a relay stands in place of a node, and has one
/// port. Tests: test/application/composites_test.cpp.
class composites {
public:
  // -- member types -----------------------------------------------------------

  /// The number of a composite; `root` is the application itself.
  using index = std::uint32_t;

  static constexpr index root = ~index{0};

  /// Nodes have smaller numbers.
  static constexpr engine::node_id first_relay = 1u << 31;

  struct relay {
    index owner;
    std::string name;
    std::string path; // "leg[0].angle"
    bool is_inlet;
    std::string type; // of its values
  };

  /// Connections of nodes, which replace those through relays.
  struct joined_segments {
    std::vector<engine::connection_spec> connections;

    /// The relays that each connection leads through; empty if there are no
    /// relays.
    std::vector<std::vector<engine::node_id>> paths = {};
  };

  // -- declarations -----------------------------------------------------------

  /// Adds a composite, to which all nodes belong until `end` is called.
  /// @param nodes the number of nodes that exist.
  index begin(std::string path, engine::node_id nodes);

  void end(engine::node_id nodes);

  /// Keeps a composite's instance.
  void keep(index id, std::shared_ptr<composite> x) {
    all_[id].instance = std::move(x);
  }

  /// @throws graph_error if the composite has a relay with this name already.
  engine::node_id add_relay(relay x);

  // -- properties -------------------------------------------------------------

  static bool is_relay(engine::node_id id) noexcept {
    return id >= first_relay;
  }

  const relay& relay_of(engine::node_id id) const noexcept {
    return relays_[id - first_relay];
  }

  /// Returns whether a composite is being constructed.
  bool is_open() const noexcept {
    return open_ != root;
  }

  const std::string& path(index id) const noexcept {
    return all_[id].path;
  }

  std::optional<index> find(const std::string& path) const;

  /// Returns the relays of a composite with this name, or those that have it
  /// with an index.
  std::vector<engine::node_id> find_relays(
    index owner, std::string_view name) const;

  /// Returns the nodes of a composite and of the composites in it: the first
  /// one, and the one after the last.
  std::pair<engine::node_id, engine::node_id> nodes_of(
    index id) const noexcept {
    return {all_[id].first, all_[id].last};
  }

  /// Returns whether a node or relay may be connected now: it is not inside of
  /// a composite, except the one that is being constructed [10.9.3].
  bool is_reachable(engine::node_id id) const noexcept;

  /// @param name that of the port, for the message.
  /// @throws graph_error because the node or relay may not be connected.
  [[noreturn]] void refuse(engine::node_id id, const std::string& name) const;

  // -- the graph --------------------------------------------------------------

  /// Replaces connections through relays by connections of nodes [10.9.2].
  /// @param names those of nodes and ports, for messages.
  /// @throws graph_error if the segments of a connection do not fit together.
  joined_segments join_segments(std::vector<engine::connection_spec> segments,
                                const port_names& names) const;

  /// Returns the relays that a connection leads through, in quotes and with
  /// " to " after each.
  std::string path_of(const joined_segments& x, std::size_t connection) const;

  /// Returns the paths of relays without a connection inside of their
  /// composite.
  std::vector<std::string> dangling(
    const std::vector<engine::connection_spec>& segments) const;

private:
  struct declared {
    std::string path;
    index parent;
    engine::node_id first;
    engine::node_id last;
    std::vector<engine::node_id> relays = {};
    std::shared_ptr<composite> instance = nullptr;
  };

  class joiner;

  /// Returns the innermost composite of a node, or that of a relay.
  index owner_of(engine::node_id id) const noexcept;

  std::vector<declared> all_; // the outer ones before the inner ones
  std::unordered_map<std::string, index> by_path_;
  std::vector<relay> relays_;
  index open_ = root;
};

} // namespace caf::rosia::detail
