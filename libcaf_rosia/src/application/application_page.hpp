// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "application/application_access.hpp"
#include "base/logging.hpp"
#include "caf/rosia/fwd.hpp"
#include "caf/rosia/graph_description.hpp"
#include "caf/rosia/options.hpp"
#include "runtime/node_counters.hpp"
#include "watch/page_board.hpp"
#include "watch/watch_source.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace caf::rosia::detail {

class run_context;
struct grouping;

/// The part of an application that a live page shows: its own page, or the one
/// in the coordinator's process. Tests: test/watch/live_page_test.cpp.
class application_page {
public:
  /// @param link to the application.
  explicit application_page(std::shared_ptr<application_link> link);

  const std::shared_ptr<application_link>& link() const noexcept {
    return link_;
  }

  /// Notes that the coordinator has a page.
  void note_watched() noexcept {
    watched_ = true;
  }

  /// Opens the page in the coordinator's process, if the options have its
  /// address.
  void open(const options& opts, const std::shared_ptr<log_context>& log,
            spdlog::logger& logger);

  void close();

  /// Shows another source, now or as soon as there is a page.
  void show(std::shared_ptr<watch_source> other);

  /// Returns the address; empty if there is no page.
  std::string url() const;

  /// Counts the activity of nodes, and keeps lines of the log, if a page needs
  /// them. Called before the run.
  void attach_to(run_context& context, const grouping& groups,
                 log_context& log);

  /// Returns null before the run, and without a page.
  const std::shared_ptr<const graph_description>& graph() const noexcept {
    return graph_;
  }

  /// Returns the counts of each node.
  /// @param nodes null for those that other processes run.
  /// @param now physical time, in nanoseconds since the start.
  std::vector<std::optional<node_counts>> counts(
    const std::vector<node*>& nodes, std::int64_t now) const;

private:
  std::shared_ptr<application_link> link_;
  bool watched_ = false;              // by the coordinator's page
  mutable std::mutex mutex_;          // for `board_` and `sources_`
  std::shared_ptr<page_board> board_; // null if there is none
  std::vector<std::shared_ptr<watch_source>> sources_;
  std::shared_ptr<const graph_description> graph_;
  // Null without a page. Outlives the nodes, which write them.
  std::shared_ptr<run_counters> counters_;
};

} // namespace caf::rosia::detail
