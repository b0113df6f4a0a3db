// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "base/json.hpp"
#include "base/log_ring.hpp"
#include "watch/metric_writer.hpp"

#include <memory>
#include <string>

namespace caf::rosia::detail {

/// Something that the live page shows: an application, or a shutdown. Called
/// from the page's thread, one call at a time. No call takes long, whatever the
/// code of nodes and participants does: at most as long as a report.
class watch_source {
public:
  virtual ~watch_source();

  /// It is on the page, which shows the lines of its log from now on.
  virtual void log_to(const std::shared_ptr<log_ring>& page) = 0;

  /// Writes what does not change, as members of an object: `kind` at least.
  virtual void put_graph(json_writer& to) = 0;

  /// Writes how it is now, as members of an object.
  virtual void put_state(json_writer& to) = 0;

  /// @param name tells the sources of one kind apart.
  virtual void add_metrics(metric_writer& to, const std::string& name) = 0;

  /// Asks it to end.
  virtual void request_end() = 0;

  /// Logs a report, as SIGUSR1 does.
  virtual void give_report() = 0;
};

} // namespace caf::rosia::detail
