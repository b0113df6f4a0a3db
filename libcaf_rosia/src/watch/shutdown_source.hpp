// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/shutdown/shutdown_report.hpp"
#include "watch/watch_source.hpp"

#include <memory>
#include <string>

namespace caf::rosia::detail {

class shutdown_core;

/// A shutdown on the live page. It may be destroyed at any time. Tests:
/// test/watch/live_page_test.cpp.
class shutdown_source final : public watch_source {
public:
  explicit shutdown_source(const std::shared_ptr<shutdown_core>& core)
    : core_(core) {
    // nop
  }

  void log_to(const std::shared_ptr<log_ring>& page) override;

  void put_graph(json_writer& to) override;

  void put_state(json_writer& to) override;

  void add_metrics(metric_writer& to, const std::string& name) override;

  void request_end() override;

  void give_report() override;

private:
  /// Returns the current report, or the last one.
  shutdown_report look();

  std::weak_ptr<shutdown_core> core_;
  shutdown_report last_;
  shutdown_timeline last_timeline_;
};

} // namespace caf::rosia::detail
