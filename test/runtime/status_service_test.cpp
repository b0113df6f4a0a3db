// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/status_service.hpp"

#include "stub_session.hpp"

#include "catch.hpp"

#include <caf/sec.hpp>

#include <optional>
#include <string>

namespace status_service_test {

using namespace caf::rosia;
using namespace caf::rosia::detail;

namespace {

struct service : ::test::stub_run {
  node_runners actors{context};
  status_service status{context, actors};
};

/// Returns the report of a process about one of its nodes.
process_report_reply reply_about(engine::node_id id, const std::string& code) {
  process_report_reply result;
  auto& node = result.nodes.emplace_back(id, node_report{}).second;
  node.code = code;
  node.running = true;
  return result;
}

} // namespace

TEST_CASE("the first reason of an abort counts, and the final tag stays",
          "[status_service]") {
  service x;
  x.status.set_stage(application_stage::executing, {7, 0}, 0);
  x.status.set_stage(application_stage::aborted, forever, 1);
  x.status.set_reason("first");
  x.status.set_reason("second");
  auto summary = x.status.summary();
  CHECK(summary.stage == application_stage::aborted);
  CHECK(summary.final == logical_time{7, 0});
  CHECK(summary.status == 1);
  CHECK(summary.reason == "first");
  CHECK(x.status.note_end() == 1);
  CHECK(x.status.stage() == application_stage::over);
}

TEST_CASE("an application that ended stays ended after a later abort",
          "[status_service]") {
  service x;
  x.status.set_stage(application_stage::over, {7, 0}, 0);
  x.status.set_stage(application_stage::aborted, forever, 1);
  CHECK(x.status.stage() == application_stage::over);
  CHECK(x.status.summary().status == 0);
}

TEST_CASE("the start does not hide that an application already ended",
          "[status_service]") {
  service x;
  x.status.note_start();
  CHECK(x.status.stage() == application_stage::running);
  x.status.set_stage(application_stage::aborted, forever, 1);
  x.status.note_start();
  CHECK(x.status.stage() == application_stage::aborted);
}

TEST_CASE("a report has the nodes of all processes, with the processes' "
          "reports about them",
          "[status_service]") {
  service x;
  x.context.progress().stages.set(1, node_stage::answered);
  auto left = reply_about(0, "on_input");
  left.self.messages = 5;
  auto right = reply_about(1, "start");
  right.nodes.front().second.stage = node_stage::running; // the process does
                                                          // not know
  auto result
    = x.status.complete(x.status.look_here(), {std::nullopt, left, right});
  REQUIRE(result.nodes.size() == 3);
  CHECK(result.nodes[0].code == "on_input");
  CHECK(result.nodes[0].process == "left");
  CHECK(result.nodes[1].code == "start");
  CHECK(result.nodes[1].stage == node_stage::answered);
  CHECK(result.nodes[2].name == "c");
  CHECK(result.nodes[2].code == "");
  REQUIRE(result.processes.size() == 3);
  CHECK(result.processes[1].name == "left");
  CHECK(result.processes[1].messages == 5);
  CHECK(result.processes[1].problem == "");
  // This is kept for requests of a summary.
  CHECK(x.status.summary().processes[1].messages == 5);
}

TEST_CASE("a process reports on its own nodes only", "[status_service]") {
  service x;
  auto left = reply_about(1, "forged");
  left.nodes.emplace_back(99, node_report{});
  auto result = x.status.complete(
    x.status.look_here(), {std::nullopt, left, std::nullopt});
  CHECK(result.nodes[1].code == "");
  CHECK(result.nodes.size() == 3);
}

TEST_CASE("a report names lost and silent processes", "[status_service]") {
  service x;
  x.others->lost[1] = true;
  auto result = x.status.complete(
    x.status.look_here(), {std::nullopt, std::nullopt, std::nullopt});
  CHECK(result.processes[1].problem == "was lost");
  CHECK(result.processes[2].problem == "did not answer within 400ms");
  CHECK(result.nodes[0].stage == node_stage::lost);
  CHECK(result.nodes[0].has_left);
  CHECK_FALSE(result.nodes[1].has_left);
}

TEST_CASE("without its coordinator a process reports its own knowledge",
          "[status_service]") {
  service x;
  x.others->report_of_all.emplace(caf::make_error(caf::sec::request_timeout));
  auto slow = x.status.look();
  CHECK(slow.processes[1].problem == "only the coordinator knows its state");
  CHECK(slow.nodes.size() == 3);
}

TEST_CASE("the report of the coordinator's process is the report",
          "[status_service]") {
  service x;
  application_report all;
  all.reason = "as the coordinator says";
  all.nodes.resize(3);
  x.others->report_of_all.emplace(all);
  CHECK(x.status.look().reason == "as the coordinator says");
  // Before the start and after the end there is none.
  x.others->report_of_all.emplace(application_report{});
  CHECK(x.status.look().reason == "");
  CHECK(x.status.look().nodes.size() == 3);
}

TEST_CASE("a remote node is described by a recent report of its process",
          "[status_service]") {
  service x;
  x.others->reports = {std::nullopt, reply_about(0, "on_input"), std::nullopt};
  CHECK(x.status.runs_code(0));
  CHECK_FALSE(x.status.runs_code(1));
  CHECK(x.status.describe(0).find("on_input") != std::string::npos);
  CHECK(x.status.describe(0).ends_with(" (in process 'left')"));
  CHECK(x.status.describe(1) == "its state is unknown (in process 'right')");
}

TEST_CASE("frames without messages are counted separately",
          "[status_service]") {
  service x;
  CHECK(x.status.own_report().frames == 0);
  x.others->traffic_so_far = session::traffic{10, 7, 3};
  auto own = x.status.own_report();
  CHECK(own.name == "coordinator");
  CHECK(own.messages == 10);
  CHECK(own.frames == 4);
  CHECK(own.control_frames == 3);
}

} // namespace status_service_test
