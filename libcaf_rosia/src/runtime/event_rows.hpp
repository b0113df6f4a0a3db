// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/graph_description.hpp"
#include "engine/topology.hpp"
#include "run_file/recording.hpp"
#include "runtime/pending_events.hpp"
#include "runtime/value_columns.hpp"

#include <atomic>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace caf::rosia::detail {

/// Writes external events to the file of a run: those that are pending, and
/// those of a run that is repeated. Only the file's thread calls it after the
/// start. Tests: test/recording.
class event_rows {
public:
  // -- constructors -----------------------------------------------------------

  /// @param rows,names,graph,events,steps must outlive this object.
  /// @param steps increased with each row.
  event_rows(const run_file::run_rows& rows, const graph_description& names,
             const engine::topology& graph, pending_events& events,
             std::atomic<std::uint64_t>& steps);

  // -- properties -------------------------------------------------------------

  /// Returns whether events remain to be copied.
  bool is_copying() const noexcept {
    return copied_.has_value();
  }

  /// Returns the reason why the first event was lost whose value cannot be
  /// saved; empty if there is none.
  const std::string& rejection() const noexcept {
    return rejection_;
  }

  // -- modifiers --------------------------------------------------------------

  /// Copies the events of these nodes from now on.
  void copy(run_file::event_reader from, std::set<std::string> nodes);

  /// Copies some events, if there are some.
  /// @param taken increased by their number.
  void copy_some(run_file::database& to, std::uint64_t& taken);

  void write(run_file::database& to, const pending_events::batch& from);

private:
  void write(run_file::database& to, const pending_events::event& x);

  /// Inserts an event without its value. @returns the statement.
  run_file::statement& row(
    run_file::database& to, std::string_view node, std::string_view source,
    std::string_view name, logical_time tag);

  const run_file::run_rows& rows_;
  const graph_description& names_;
  const engine::topology& graph_;
  pending_events& events_;
  std::atomic<std::uint64_t>& steps_;
  std::optional<run_file::event_reader> copied_; // reset when all are copied
  std::set<std::string> copied_nodes_;
  value_columns columns_;
  std::string rejection_;
};

} // namespace caf::rosia::detail
