// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "base/json.hpp"
#include "base/log_ring.hpp"
#include "watch/metric_writer.hpp"

#include <memory>
#include <string>

namespace caf::rosia::detail {

/// A source of the live page: an application, or a shutdown. Called from the
/// page's thread, one call at a time. No call takes longer than a report,
/// whatever the code of nodes and participants does. Tests:
/// test/watch/live_page_test.cpp.
class watch_source {
public:
  virtual ~watch_source();

  /// Adds a sink that shows the source's log lines on the page from now on.
  virtual void log_to(const std::shared_ptr<log_ring>& page) = 0;

  /// Writes constant data as members of an object: at least `kind`.
  virtual void put_graph(json_writer& to) = 0;

  /// Writes the current state as members of an object.
  virtual void put_state(json_writer& to) = 0;

  /// @param name distinguishes sources of one kind.
  virtual void add_metrics(metric_writer& to, const std::string& name) = 0;

  virtual void request_end() = 0;

  /// Logs a report, as SIGUSR1 does.
  virtual void give_report() = 0;
};

} // namespace caf::rosia::detail
