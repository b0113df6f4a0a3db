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
  /// The lesser of the two tags at this position.
  caf::rosia::logical_time tag;
};

/// A node that differs, and the reason.
struct node_verdict {
  enum class reason {
    /// Its inputs are equal up to its first different output.
    itself,
    /// Its inputs differ before its outputs do.
    follows,
    /// Its external events differ before its outputs do.
    events,
    /// Its inputs differ, but its outputs do not.
    absorbs,
    /// Its inputs differ, and its outputs are not recorded.
    inputs,
    /// Its outputs differ, and not all of its inputs are recorded.
    unknown,
  };

  std::string node;
  reason cause = reason::itself;
  /// The senders with different outputs, if `why` is `follows`; may be empty.
  std::string followed;
  /// The first tag at which it differs.
  caf::rosia::logical_time tag;
  /// The earliest first.
  std::vector<stream_difference> differences;
};

struct run_comparison {
  /// The tag up to which the runs were compared.
  caf::rosia::logical_time up_to = caf::rosia::forever;
  /// The first difference of the graphs; empty if there is none.
  std::string graph;
  /// The earliest first.
  std::vector<node_verdict> nodes;
  /// Numbers of compared nodes, streams and values.
  std::size_t compared = 0;
  std::size_t streams = 0;
  std::uint64_t same_values = 0;
  /// The ports that are recorded in only one run.
  std::vector<std::string> recorded_once;
  /// Number of nodes of which nothing was compared.
  std::size_t not_recorded = 0;

  bool same() const {
    return graph.empty() && nodes.empty();
  }
};

/// Compares the recorded values of two runs, port by port.
/// @param up_to compare up to this tag; by default, as far as both are known.
run_comparison compare(
  const recorded_values& left, const recorded_values& right,
  std::optional<caf::rosia::logical_time> up_to);

} // namespace rosia_trace
