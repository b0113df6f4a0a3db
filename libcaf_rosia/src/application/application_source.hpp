// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "application/application_access.hpp"
#include "base/logging.hpp"
#include "watch/watch_source.hpp"

#include <memory>
#include <string>

namespace caf::rosia::detail {

/// An application on the live page. Tests: test/watch/live_page_test.cpp.
class application_source final : public watch_source {
public:
  application_source(std::shared_ptr<application_link> link,
                     std::shared_ptr<log_context> log);

  void log_to(const std::shared_ptr<log_ring>& page) override;

  void put_graph(json_writer& to) override;

  void put_state(json_writer& to) override;

  void add_metrics(metric_writer& to, const std::string& name) override;

  void request_end() override;

  void give_report() override;

private:
  application_view look() const;

  std::shared_ptr<application_link> link_;
  std::shared_ptr<log_context> log_;
};

} // namespace caf::rosia::detail
