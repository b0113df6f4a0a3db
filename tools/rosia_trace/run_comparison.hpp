// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"
#include "rosia_trace/recorded_values.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rosia_trace {

/// The first difference of a port, or of the external events from one source.
struct stream_difference {
  const recorded_stream* left = nullptr;
  const recorded_stream* right = nullptr;
  /// The position in both streams.
  std::size_t position = 0;
  /// The lesser of the tags there.
  caf::rosia::logical_time tag;
};

/// A node that differs, and why.
struct node_verdict {
  enum class reason {
    /// Its inputs are the same up to its first other output.
    itself,
    /// Its inputs differ before its outputs do.
    follows,
    /// It got other external events before its outputs differ.
    events,
    /// Its inputs differ, and its outputs do not.
    absorbs,
    /// Its inputs differ, and its outputs are not recorded.
    inputs,
    /// Its outputs differ, and not all of its inputs are recorded.
    unknown,
  };

  std::string node;
  reason why = reason::itself;
  /// The nodes whose outputs differ, if it follows; may be empty.
  std::string followed;
  /// The first tag at which it differs.
  caf::rosia::logical_time tag;
  /// The earliest first.
  std::vector<stream_difference> differences;
};

struct run_comparison {
  /// Everything at or below was compared.
  caf::rosia::logical_time up_to = caf::rosia::forever;
  /// The first difference of the graphs; empty if there is none.
  std::string graph;
  /// The earliest first.
  std::vector<node_verdict> nodes;
  /// How many nodes, streams and values were compared.
  std::size_t compared = 0;
  std::size_t streams = 0;
  std::uint64_t same_values = 0;
  /// The ports that one run has recorded, and the other has not.
  std::vector<std::string> recorded_once;
  /// The nodes of which nothing was compared.
  std::size_t not_recorded = 0;

  bool same() const {
    return graph.empty() && nodes.empty();
  }
};

/// Compares the recorded values of two runs, port by port.
/// @param up_to compare up to this tag; by default, up to where both are known.
run_comparison compare(
  const recorded_values& left, const recorded_values& right,
  std::optional<caf::rosia::logical_time> up_to);

} // namespace rosia_trace
