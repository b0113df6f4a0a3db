// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "catch.hpp"
#include "rosia_drill/timeline.hpp"

#include <string>

namespace timeline_test {

using namespace rosia_drill;

namespace {

process_step step_at(std::int64_t at, const std::string& name) {
  return {name, "node", 5, 1, at};
}

} // namespace

TEST_CASE("a timeline's events are in the order of their times") {
  timeline x;
  x.start();
  auto start = x.started_at();
  x.add_step("left", step_at(start + 20, "answered"));
  x.add_step("left", step_at(start + 10, "node_asked"));
  x.add_fault("left", step_at(start + 15, "fault:1"), "throw target=node");
  auto events = x.take();
  REQUIRE(events.size() == 3);
  CHECK(events[0].text == "node_asked");
  CHECK(events[0].at == 10);
  CHECK(events[0].tag == rosia_trace::logical_time{5, 1});
  CHECK(events[1].kind == round_event_kind::fault);
  CHECK(events[1].text == "throw target=node");
  CHECK(events[2].text == "answered");
  CHECK(x.take().empty());
}

TEST_CASE("a timeline omits events that would be too many for a report") {
  timeline x;
  x.start();
  for (std::size_t i = 0; i < timeline::lines_of_log + 5; ++i) {
    x.add_line("left", std::string(timeline::longest_line + 5, 'x'));
    x.add_line("right", "short");
  }
  for (std::size_t i = 0; i < timeline::most_steps + 5; ++i)
    x.add_step("left", step_at(x.started_at(), "left"));
  auto events = x.take();
  CHECK(events.size() == 2 * timeline::lines_of_log + timeline::most_steps);
  CHECK(x.log_lines() == 2 * (timeline::lines_of_log + 5));
  CHECK(x.protocol_steps() == timeline::most_steps + 5);
  for (auto& event : events)
    CHECK(event.text.size() <= timeline::longest_line);
}

TEST_CASE("a timeline keeps the first and the last lines and steps") {
  timeline x;
  x.start();
  for (std::size_t i = 0; i < 3 * timeline::lines_of_log; ++i)
    x.add_line("left", std::to_string(i));
  auto lines = x.take();
  REQUIRE(lines.size() == timeline::lines_of_log);
  CHECK(lines.front().text == "0");
  CHECK(lines.back().text == std::to_string(3 * timeline::lines_of_log - 1));
  for (std::size_t i = 0; i < 3 * timeline::most_steps; ++i)
    x.add_step("left", step_at(x.started_at() + static_cast<std::int64_t>(i),
                               std::to_string(i)));
  auto steps = x.take();
  REQUIRE(steps.size() == timeline::most_steps);
  CHECK(steps.front().text == "0");
  CHECK(steps.back().text == std::to_string(3 * timeline::most_steps - 1));
}

TEST_CASE("a timeline distinguishes a signal from a status") {
  timeline x;
  x.start();
  x.add_end("a", 3);
  x.add_end("b", 129); // the library's status after a deadline
  x.add_end("c", 137);
  auto events = x.take();
  CHECK(events[0].text == "status 3");
  CHECK(events[1].text == "status 129");
  CHECK(events[2].text == "signal 9");
}

} // namespace timeline_test
