// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_trace/logical_time.hpp"
#include "rosia_trace/recording.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace rosia_trace {

/// Where two runs declare different graphs.
struct graph_difference {
  /// For instance `node "b"`.
  std::string what;
  /// Lines of the declaration, 0 where there is none.
  std::size_t left_line = 0;
  std::size_t right_line = 0;
};

/// The first difference of a node.
struct node_difference {
  const recording::node* left = nullptr;
  const recording::node* right = nullptr;
  /// The position in both nodes' steps.
  std::size_t position = 0;
  /// The lesser of the tags there.
  logical_time tag;
};

struct comparison {
  /// Everything at or below was compared.
  logical_time up_to = forever;
  std::vector<graph_difference> graph;
  /// The earliest first: it is likely to be the cause of the others.
  std::vector<node_difference> nodes;
  /// How many nodes were compared.
  std::size_t compared = 0;
  /// Steps that are the same in both.
  std::size_t same_steps = 0;
  /// Nodes that were compared only as far as both runs went, because one was
  /// aborted or is cut off.
  std::size_t partial = 0;
  /// The files of traces without an end: what their runs did next is unknown.
  /// Without those in which all nodes go beyond the tag up to which to compare.
  std::vector<std::string> cut_off;

  bool same() const {
    return graph.empty() && nodes.empty();
  }
};

/// Compares two runs node by node: tags, resumes, inputs, triggers, reactions
/// and sends, in each node's order.
/// @param up_to compare up to this tag; by default, up to the smaller of both
///        final tags.
comparison compare(const recording& left, const recording& right,
                   std::optional<logical_time> up_to);

} // namespace rosia_trace
