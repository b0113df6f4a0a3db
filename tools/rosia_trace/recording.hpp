// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_trace/event.hpp"
#include "rosia_trace/logical_time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rosia_trace {

/// A trace in memory, sorted by node, for comparisons.
class recording {
public:
  /// An action of a node that is the same in every run.
  struct step {
    logical_time tag;
    /// Hash of everything that is the same in every run.
    std::size_t hash = 0;
    /// From 1.
    std::size_t line = 0;
  };

  struct node {
    std::string name;
    std::size_t declared_hash = 0;
    /// 0 if the node is not declared.
    std::size_t declared_line = 0;
    std::vector<step> steps;
    /// Whether the node ended in order, and was neither aborted nor cut off
    /// with the trace.
    bool complete = false;
  };

  struct connection {
    /// `"a.out" -> "b.in"`
    std::string name;
    std::size_t hash = 0;
    std::size_t line = 0;
  };

  /// @param text a whole trace.
  /// @param file name of the file for messages.
  /// @throws unreadable_file if a line is not an event.
  recording(std::string text, std::string file);

  const std::string& file() const {
    return file_;
  }

  const std::vector<node>& nodes() const {
    return nodes_;
  }

  /// Returns the node called `name`; null if there is none.
  const node* find(const std::string& name) const;

  const std::vector<connection>& connections() const {
    return connections_;
  }

  const connection* find_connection(const std::string& name) const;

  /// Returns the last final tag.
  std::optional<logical_time> final_tag() const {
    return final_tag_;
  }

  /// Returns whether the trace has `end`.
  bool ended() const {
    return ended_;
  }

  /// Returns a line of the trace. @pre 1 <= number, and the line exists.
  std::string_view line(std::size_t number) const;

private:
  void add(const event& x);

  node& node_called(std::string_view name);

  std::string text_;
  std::string file_;
  std::vector<std::size_t> line_starts_;
  std::vector<node> nodes_;
  std::unordered_map<std::string, std::size_t> node_names_;
  std::vector<connection> connections_;
  std::unordered_map<std::string, std::size_t> connection_names_;
  std::optional<logical_time> final_tag_;
  std::string key_;
  bool ended_ = false;
};

} // namespace rosia_trace
