// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bench {

/// The parameters of a generated graph. Each kind has its own defaults, and
/// ignores the parameters that it does not need.
struct graph_spec {
  std::string kind;
  /// Nodes; of a `grid`, `layers` and `rings` those of a side, a layer, a ring.
  std::uint32_t nodes = 100;
  /// Connections that leave a node.
  std::uint32_t degree = 4;
  /// Layers, or rings.
  std::uint32_t layers = 10;
  /// Values of each source.
  std::uint32_t rounds = 100;
  /// Connections after which a message ends.
  std::uint32_t hops = 1'000'000;
  /// Nanoseconds: the least delay of connections that have one. The greatest is
  /// twice as long.
  std::uint32_t delay = 1'000'000;
  /// Percentage of connections that have a delay, and may lead back.
  std::uint32_t loops = 50;
  /// Percentage of nodes that are sources, or begin with a message.
  std::uint32_t active = 10;
  /// Percentage of nodes that work, and for how many nanoseconds a tag.
  std::uint32_t heavy = 100;
  std::uint32_t work = 0;
  std::uint32_t seed = 1;
  /// Worker threads of the library.
  std::uint32_t threads = 1;
};

/// Parses a text such as `phold:nodes=1024,work=10000`.
/// @throws std::invalid_argument if a kind, a parameter or a value is unknown.
graph_spec parse_graph_spec(std::string_view text);

/// Returns the parameters of a random graph of any kind.
graph_spec random_graph_spec(std::uint32_t seed);

/// Returns the text that `parse_graph_spec` parses to `x`, without the
/// parameters that have their default.
std::string to_string(const graph_spec& x);

} // namespace bench
