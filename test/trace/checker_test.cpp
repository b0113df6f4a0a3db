// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "catch.hpp"
#include "rosia_trace/checker.hpp"
#include "trace/trace_text.hpp"

#include <set>

namespace checker_test {

using namespace trace_test;
using rosia_trace::rule;

TEST_CASE("a run that ends by itself keeps all rules", "[trace]") {
  require_good(natural_end());
}

TEST_CASE("a run that ends by request keeps all rules", "[trace]") {
  require_good(requested_end());
}

TEST_CASE("a run that is aborted keeps all rules", "[trace]") {
  require_good(aborted_end());
}

TEST_CASE("a loop that ends by itself keeps all rules", "[trace]") {
  require_good(loop_end());
}

TEST_CASE("a run with physical values keeps all rules", "[trace]") {
  require_good(physical_run());
}

TEST_CASE("a run with scheduled events keeps all rules", "[trace]") {
  require_good(scheduled_events());
}

TEST_CASE("a run with missed deadlines keeps all rules", "[trace]") {
  require_good(missed_deadlines());
}

TEST_CASE("a run with watchdogs keeps all rules", "[trace]") {
  require_good(expiring_watchdogs());
}

TEST_CASE("a run with modes keeps all rules", "[trace]") {
  require_good(switched_modes());
}

TEST_CASE("the first mode may be declared after ticks", "[trace]") {
  require_good({
    application(),
    node_line{"b"}.tick("t", 0, 0).mode("m").reaction_on("on_t", "t").str(),
    start("b"),
    execute("b", {0, 0}, forever),
    action("b", {0, 0}, "t", 1),
    action("b", {0, 0}, "m", 0),
    reaction("b", {0, 0}, "on_t"),
    shutdown("b", {0, 0}, "done"),
    exit("b"),
    end(),
  });
}

TEST_CASE("a run with tardy values keeps all rules", "[trace]") {
  require_good(tardy_values());
}

TEST_CASE("a run with a last tag keeps all rules", "[trace]") {
  require_good(last_tag());
}

TEST_CASE("an application without nodes keeps all rules", "[trace]") {
  require_good({application(), end()});
}

TEST_CASE("the valid runs test every rule", "[trace]") {
  rosia_trace::rule_tally sum{};
  for (const auto& run :
       {natural_end(), requested_end(), aborted_end(), loop_end(),
        scheduled_events(), physical_run(), missed_deadlines(),
        expiring_watchdogs(), tardy_values(), last_tag(), switched_modes()}) {
    rosia_trace::checker state;
    for (const auto& line : run.lines)
      REQUIRE(state.line(line));
    REQUIRE(!state.finish());
    for (std::size_t i = 0; i < sum.size(); ++i)
      sum[i] += state.tally()[i];
  }
  for (std::size_t i = 0; i < sum.size(); ++i) {
    INFO(to_string(static_cast<rule>(i)));
    CHECK(sum[i] > 0);
  }
}

TEST_CASE("a rule that a run does not test is not counted", "[trace]") {
  rosia_trace::checker state;
  for (const auto& line : loop_end().lines)
    REQUIRE(state.line(line));
  REQUIRE(!state.finish());
  auto applied = [&](rule which) {
    return state.tally()[static_cast<std::size_t>(which)];
  };
  CHECK(applied(rule::promises) == 0);
  CHECK(applied(rule::agreement) == 0);
  CHECK(applied(rule::arrival_tags) == 6);
  CHECK(applied(rule::termination) == 1);
}

TEST_CASE("the checker counts the content of the trace", "[trace]") {
  rosia_trace::checker state;
  auto run = requested_end();
  for (const auto& line : run.lines)
    REQUIRE(state.line(line));
  REQUIRE(!state.finish());
  const auto& counts = state.counts();
  CHECK(counts.lines == run.lines.size());
  CHECK(counts.of(rosia_trace::event_kind::node) == 3);
  CHECK(counts.of(rosia_trace::event_kind::connection) == 3);
  CHECK(counts.of(rosia_trace::event_kind::execute) == 9);
  CHECK(counts.of(rosia_trace::event_kind::resume) == 2);
  CHECK(counts.of(rosia_trace::event_kind::reaction) == 11);
  CHECK(counts.of(rosia_trace::event_kind::send) == 9);
  CHECK(counts.of(rosia_trace::event_kind::input) == 7);
  CHECK(counts.of(rosia_trace::event_kind::promise) == 0);
  CHECK(counts.of(rosia_trace::event_kind::drop) == 0);
  CHECK(counts.of(rosia_trace::event_kind::request) == 1);
  CHECK(counts.of(rosia_trace::event_kind::final) == 1);
  CHECK(counts.of(rosia_trace::event_kind::aborted) == 0);
  CHECK(counts.status == 0);
}

TEST_CASE("after a broken rule the checker ignores further lines", "[trace]") {
  rosia_trace::checker state;
  auto run = natural_end();
  CHECK(state.line(run.lines[0]));
  CHECK(!state.line(run.lines[0]));
  CHECK(!state.line("garbage"));
  auto found = state.finish("more garbage");
  REQUIRE(found);
  CHECK(found->broken == rule::format);
  CHECK(found->line == 2);
}

TEST_CASE("a checker can be moved while it reads", "[trace]") {
  rosia_trace::checker first;
  auto run = natural_end();
  for (std::size_t i = 0; i < 20; ++i)
    REQUIRE(first.line(run.lines[i]));
  auto second = std::move(first);
  for (std::size_t i = 20; i < run.lines.size(); ++i)
    REQUIRE(second.line(run.lines[i]));
  CHECK(!second.finish());
}

TEST_CASE("the last line need not have a line end", "[trace]") {
  auto text = natural_end().text();
  text.pop_back();
  CHECK(!rosia_trace::check(text));
}

TEST_CASE("rules have unique names and state their requirements", "[trace]") {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < rosia_trace::rule_count; ++i) {
    const auto& x = describe(static_cast<rule>(i));
    CHECK(names.insert(x.name).second);
    CHECK(!x.source.empty());
    CHECK(x.text.size() > 20);
  }
}

TEST_CASE("a violation is shown with file, line, rule and section", "[trace]") {
  rosia_trace::violation x{rule::no_late_message, 12, "it is late"};
  CHECK(to_string(x, "a.jsonl")
        == "a.jsonl:12: no-late-message [7.2]: it "
           "is late");
}

TEST_CASE("a run that resumes keeps all rules", "[trace]") {
  require_good(continued_run());
  require_good(whole_run());
}

} // namespace checker_test
