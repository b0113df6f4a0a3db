// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/application.hpp"
#include "caf/rosia/bank.hpp"
#include "caf/rosia/composite.hpp"

#include "property/random_node.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace property {

/// Declares a random graph: nodes, banks, composites, and their connections.
class declaration {
public:
  /// All must outlive this.
  declaration(const model::graph_spec& graph, company& all,
              rosia::application& app);

  /// Returns the nodes in the order of the graph.
  const std::vector<rosia::node_ref<random_node>>& nodes() const noexcept {
    return nodes_;
  }

private:
  using connection = model::connection_spec;

  class composite;

  /// The segments of a connection. At most one has the delay.
  struct route {
    std::string outlet; // empty if the source is in no composite
    std::string inlet;
    bool delayed_at_outlet = false;
    bool delayed_at_inlet = false;
  };

  static rosia::connection_kind kind_of(const connection& x);

  std::vector<route> routes() const;

  /// Creates the nodes and banks from `first` on.
  template <class Create, class CreateBank>
  void create(std::uint32_t first, std::uint32_t last, Create create,
              CreateBank create_bank);

  auto output_of(const connection& x) const {
    return nodes_[x.source][random_node::outputs()][x.output];
  }

  auto input_of(const connection& x) const {
    return nodes_[x.target][random_node::inputs()][x.input];
  }

  bool is_within_composite(const connection& x) const;

  void connect(rosia::application& app);

  /// Returns whether a connection can be declared together with others.
  bool can_be_combined(std::size_t i) const;

  /// Connects one connection by the names of its ends.
  void connect_by_name(rosia::application& app, std::size_t i) const;

  /// Adds the connections from `first` on that are of one kind.
  /// @returns the next one.
  std::size_t connect_several(std::size_t first) const;

  const model::graph_spec* graph_;
  company* all_;
  std::vector<rosia::node_ref<random_node>> nodes_;
  std::vector<route> routes_; // by connection
};

} // namespace property
