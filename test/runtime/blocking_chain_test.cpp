// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The summary of what holds an application up.

#include "runtime/blocking_chain.hpp"
#include "support.hpp"

namespace blocking_chain_test {

using namespace caf::rosia;
using detail::explain;

namespace {

node_report waiting(std::string name, std::string other,
                    std::chrono::nanoseconds next) {
  node_report result{std::move(name)};
  result.stage = node_stage::running;
  result.complete = true;
  result.next = {next.count(), 0};
  result.held_back_by = blocker::input;
  result.port = "in";
  result.waits_for = std::move(other);
  return result;
}

node_report busy(std::string name, std::chrono::nanoseconds tag,
                 std::chrono::nanoseconds since) {
  node_report result{std::move(name)};
  result.stage = node_stage::running;
  result.code = "on_in";
  result.running = true;
  result.code_tag = {tag.count(), 0};
  result.running_for = since;
  return result;
}

application_report after(
  std::chrono::nanoseconds elapsed, std::vector<node_report> nodes,
  application_stage stage = application_stage::running) {
  application_report result;
  result.stage = stage;
  result.elapsed = elapsed;
  result.nodes = std::move(nodes);
  return result;
}

} // namespace

TEST_CASE("the chain leads from the latest node to the node that holds it up",
          "[status]") {
  auto lines = explain(
    after(10s, {waiting("c", "b.out", 2s), busy("a", 3s, 4s),
                waiting("b", "a.out", 3s)}),
    true);
  REQUIRE(lines.size() == 3);
  CHECK_THAT(lines[0], ContainsSubstring("'c': waits at 'in' for 'b.out'"));
  CHECK_THAT(lines[1], ContainsSubstring("'b': waits at 'in' for 'a.out'"));
  CHECK_THAT(lines[2], ContainsSubstring("'a': reaction 'on_in' at tag 3s"));
}

TEST_CASE("no node is named while nodes wait for physical time", "[status]") {
  auto clock = waiting("clock", "", 11s);
  clock.held_back_by = blocker::clock;
  CHECK(explain(after(10s, {clock}), true).empty());
  // It is about to continue.
  clock.next = {9'800'000'000, 0};
  CHECK(explain(after(10s, {clock}), true).empty());
  CHECK(explain(after(10s, {waiting("a", "clock.out", 9'950ms), clock}), true)
          .empty());
}

TEST_CASE("as fast as possible, only code that does not return counts",
          "[status]") {
  CHECK(explain(after(10s, {waiting("a", "b.out", 1s)}), false).empty());
  CHECK(explain(after(10s, {busy("a", 1s, 20ms)}), false).empty());
  CHECK(explain(after(10s, {busy("a", 1s, 2s)}), false).size() == 1);
}

TEST_CASE("a loop of nodes that wait for each other ends the chain",
          "[status]") {
  auto lines = explain(
    after(10s, {waiting("a", "b.out", 1s), waiting("b", "a.out", 2s)}), true);
  CHECK(lines.size() == 2);
}

TEST_CASE("at the end, the nodes that owe an answer are named", "[status]") {
  auto quiet = waiting("quiet", "other.out", 1s);
  quiet.stage = node_stage::answered;
  auto asked = busy("asked", 9s, 1s);
  asked.stage = node_stage::asked;
  auto lines
    = explain(after(10s, {quiet, asked}, application_stage::asking), true);
  REQUIRE(lines.size() == 1);
  CHECK_THAT(lines[0], ContainsSubstring("'asked'"));
}

TEST_CASE("nothing is explained before and after the run", "[status]") {
  CHECK(explain(
          after(10s, {busy("a", 1s, 2s)}, application_stage::not_started), true)
          .empty());
  CHECK(explain(after(10s, {busy("a", 1s, 2s)}, application_stage::over), true)
          .empty());
  auto gone = waiting("a", "b.out", 1s);
  gone.has_left = true;
  CHECK(explain(after(10s, {gone}), true).empty());
}

} // namespace blocking_chain_test
