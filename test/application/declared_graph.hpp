// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Graphs as declared by a program, without an application to run them.

#pragma once

#include "application/graph_builder.hpp"
#include "base/logging.hpp"
#include "base/type_name.hpp"
#include "caf/rosia/port.hpp"
#include "caf/rosia/reaction.hpp"

#include <memory>
#include <string>
#include <utility>

namespace test {

namespace rosia = caf::rosia;

struct source : rosia::node {
  rosia::output_port<int> out{this, "out"};
};

struct sink : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::input_port<std::string> text{this, "text", rosia::optional_input};
  rosia::reaction on_in{this, "on_in", {in}, [] {}};
};

struct declared_graph : rosia::detail::graph_builder {
  using super = rosia::detail::graph_builder;

  explicit declared_graph(bool distributed)
    : super(
      rosia::detail::log_context{"off"}.make("test"), 100, distributed, {}) {
    // nop
  }

  template <class T>
  rosia::engine::node_id create(std::string name) {
    auto& type = rosia::detail::node_type_of<T>();
    if (!is_distributed())
      return add(std::move(name), std::make_unique<T>(), type);
    return add({std::move(name), rosia::detail::type_name(typeid(T)), &type,
                std::make_unique<rosia::detail::keeping_factory<T>>()});
  }

  /// Connects ports by name.
  void connect_names(std::string from, std::string to,
                     rosia::engine::connection_spec spec = {}) {
    connect({spec, std::make_unique<named_ports>(
                     named_ports{std::move(from), std::move(to)})});
  }
};

} // namespace test
