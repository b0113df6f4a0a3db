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

/// Writes external events to the file of a run: pending events, and those of
/// the replayed run. After the start, only the file's thread calls it. If the
/// file cannot be written, its functions throw `std::runtime_error`. Tests:
/// test/recording.
class event_rows {
public:
  // -- constructors -----------------------------------------------------------

  /// @param rows,description,graph,events,steps must outlive this object.
  /// @param steps increased with each row.
  event_rows(const run_file::run_rows& rows,
             const graph_description& description,
             const engine::topology& graph, pending_events& events,
             std::atomic<std::uint64_t>& steps);

  // -- properties -------------------------------------------------------------

  /// Returns whether events of the replayed run remain to be copied.
  bool is_copying() const noexcept {
    return copied_.has_value();
  }

  /// Returns why the value of an event cannot be saved, for the first such
  /// event; empty if there is none.
  const std::string& rejection() const noexcept {
    return rejection_;
  }

  // -- modifiers --------------------------------------------------------------

  /// Sets the replayed run, whose events `copy_some` copies.
  /// @param nodes the names of the nodes of this process.
  void copy_from(run_file::event_reader from, std::set<std::string> nodes);

  /// Copies the next events of the replayed run, at most a few MiB. Has no
  /// effect if none remain.
  /// @param taken increased by the number of copied events.
  void copy_some(run_file::database& to, std::uint64_t& taken);

  /// Writes pending events. An event whose value cannot be saved is counted as
  /// lost.
  void write(run_file::database& to, const pending_events::batch& from);

private:
  void write(run_file::database& to, const pending_events::event& x);

  /// Returns the name of a node's connection of this index.
  std::string incoming_name(engine::node_id node,
                            std::uint32_t connection) const;

  /// Returns the statement that inserts an event. Parameters 7 and 8, the bytes
  /// and the text of its value, are not bound yet.
  run_file::statement& row(
    run_file::database& to, std::string_view node, std::string_view source,
    std::string_view name, logical_time tag);

  const run_file::run_rows& rows_;
  const graph_description& description_;
  const engine::topology& graph_;
  pending_events& events_;
  std::atomic<std::uint64_t>& steps_;
  std::optional<run_file::event_reader> copied_; // reset when all are copied
  std::set<std::string> copied_nodes_;
  value_columns columns_;
  std::string rejection_;
};

} // namespace caf::rosia::detail
