// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// A run of an application over three processes. This one coordinates and runs
// no node; the test acts for the other processes.

#pragma once

#include "base/logging.hpp"
#include "engine/topology.hpp"
#include "runtime/run_context.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scoped_actor.hpp>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace test {

namespace rosia = caf::rosia;

class stub_session : public rosia::detail::session {
public:
  // -- set by a test ----------------------------------------------------------

  caf::actor hub; // the actor of process 0, as another process sees it
  answers reports;
  std::optional<caf::expected<rosia::application_report>> report_of_all;
  std::array<bool, 3> lost{};
  std::optional<traffic> traffic_so_far;

  // -- overridden functions of session ----------------------------------------

  void meet(const std::vector<rosia::engine::process_id>&) override {}

  void open(rosia::detail::run_context&) override {}

  std::int64_t begin(const std::shared_ptr<rosia::detail::runtime>&) override {
    return 0;
  }

  void dismiss() override {}

  void close_links() override {}

  void close() override {}

  void end_all(int, rosia::logical_time, std::chrono::nanoseconds,
               std::function<void()> done) override {
    done();
  }

  void hurry() override {}

  void kill_others() noexcept override {}

  void send(rosia::engine::node_id, rosia::engine::node_id,
            std::vector<rosia::engine::envelope>&) override {}

  void note_restored(std::uint32_t, std::uint64_t) override {}

  void note_idle(rosia::engine::node_id, bool) override {}

  void note_exit(rosia::engine::node_id) override {}

  void flush() override {}

  std::optional<traffic> sent() const override {
    return traffic_so_far;
  }

  caf::actor self() const override {
    return hub;
  }

  caf::actor peer(rosia::engine::process_id process) const override {
    return process == 0 ? hub : caf::actor{};
  }

  void abort(rosia::engine::process_id, std::string) override {}

  void announce_end(const std::string&) override {}

  void request_progress(rosia::logical_time) override {}

  void note_progress(rosia::engine::process_id,
                     std::uint64_t) noexcept override {}

  std::uint64_t progress() const noexcept override {
    return 0;
  }

  void lose(rosia::engine::process_id process) override {
    lost[process] = true;
  }

  bool has_lost(rosia::engine::process_id process) const noexcept override {
    return lost[process];
  }

  void give_report() override {}

  void watch_lag() override {}

  void leave_coordinator(std::string, int) override {}

  answers request_reports(rosia::engine::process_id,
                          rosia::engine::process_id) override {
    return reports;
  }

  std::optional<caf::expected<rosia::application_report>>
  request_report_of_all() override {
    return report_of_all;
  }
};

/// A run with node "a" in process "left", and "b" and "c" in "right".
struct stub_run {
  stub_run()
    : others(new stub_session),
      context(
        sys, rosia::options{},
        std::make_shared<rosia::detail::log_context>("off"), nullptr,
        rosia::detail::node_directory{
          {nullptr, nullptr, nullptr},
          {{"a", {}, {}, {}}, {"b", {}, {}, {}}, {"c", {}, {}, {}}},
          {1, 2, 2},
          {"coordinator", "left", "right"},
          0},
        rosia::engine::topology{
          {false, false, false},
          {},
          [](auto, auto, auto) { return std::string{}; }},
        std::unique_ptr<rosia::detail::session>{others}) {
    // nop
  }

  caf::actor_system_config cfg;
  caf::actor_system sys{cfg};
  stub_session* others; // owned by the context
  rosia::detail::run_context context;
};

} // namespace test
