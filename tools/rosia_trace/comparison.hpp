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

/// The first differences of the graphs of two runs.
struct graph_difference {
  /// For instance `node "b"`.
  std::string text;
  /// Lines of the declarations; 0 if missing.
  std::size_t left_line = 0;
  std::size_t right_line = 0;
};

/// The first difference of a node.
struct node_difference {
  const recording::node* left = nullptr;
  const recording::node* right = nullptr;
  /// The position in both nodes' lists of steps.
  std::size_t position = 0;
  /// The lesser of the two tags at this position.
  logical_time tag;
};

struct comparison {
  /// The tag up to which the runs were compared.
  logical_time up_to = forever;
  std::vector<graph_difference> graph;
  /// The earliest first, which is likely to be the cause of the rest.
  std::vector<node_difference> nodes;
  /// Number of compared nodes.
  std::size_t compared = 0;
  /// Number of equal steps.
  std::size_t same_steps = 0;
  /// Number of nodes that were compared only in part, because one run was
  /// aborted or its trace is truncated.
  std::size_t partial = 0;
  /// The files of truncated traces, whose further events are unknown. Does not
  /// contain traces in which all nodes are beyond the tag up to which to
  /// compare.
  std::vector<std::string> cut_off;

  bool same() const {
    return graph.empty() && nodes.empty();
  }
};

/// Compares two runs node by node: tags, resumes, inputs, reactions
/// and sends, in each node's order.
/// @param up_to compare up to this tag; by default, up to the lesser of both
/// final tags.
comparison compare(const recording& left, const recording& right,
                   std::optional<logical_time> up_to);

} // namespace rosia_trace
