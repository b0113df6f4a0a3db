// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The parts of a shutdown, each in isolation: no thread runs, and no actor
// exits.

#include "shutdown/action_list.hpp"
#include "shutdown/guard_list.hpp"
#include "shutdown/participant_list.hpp"
#include "shutdown/phase_list.hpp"
#include "shutdown/recheck_list.hpp"
#include "shutdown/shutdown_state.hpp"
#include "shutdown/thread_list.hpp"
#include "shutdown/worker_list.hpp"

#include "shutdown_support.hpp"

#include <chrono>
#include <memory>
#include <optional>

namespace rooms_test {

using namespace caf::rosia::detail;

namespace {

using clock_type = std::chrono::steady_clock;

/// Returns the entries in a report.
template <class List, class... Args>
std::vector<part_report> entries(const List& list, const Args&... args) {
  report_builder builder{clock_type::now()};
  list.add_to(builder, args...);
  return std::move(builder).complete().parts;
}

} // namespace

// -- phase_list ---------------------------------------------------------------

TEST_CASE("phase_list: a phase is next after its predecessors ended",
          "[shutdown]") {
  phase_list phases;
  phases.set("checkpoint", {.after = {"threads"}});
  phases.set("final", {.after = {"actors", "checkpoint"}});
  strings order;
  while (auto* phase = phases.next()) {
    order.push_back(phase->name);
    phase->began = phase->over = true;
    phase->began_at = clock_type::now();
  }
  CHECK(order == strings{"threads", "actors", "checkpoint", "final"});
  auto begun = phases.begun();
  REQUIRE(begun.size() == 4);
  CHECK(begun[2]->name == "checkpoint");
}

TEST_CASE("phase_list: none is next while a phase has not ended",
          "[shutdown]") {
  phase_list phases;
  phases.next()->began = true;
  CHECK(phases.next() == nullptr);
}

TEST_CASE("phase_list: a refused change has no effect", "[shutdown]") {
  phase_list phases;
  CHECK_THROWS_WITH(phases.set("actors", {.after = {"final"}}),
                    ContainsSubstring("actors after final after actors"));
  CHECK_THROWS_AS(phases.set("x", {.after = {"y"}}), std::invalid_argument);
  CHECK_THROWS_AS(phases.find("x"), std::invalid_argument);
  CHECK_THROWS_AS(phases.set("final", {.timeout = -1s}), std::invalid_argument);
  CHECK(phases.find("actors").options.after == strings{"threads"});
}

// -- guard_list ---------------------------------------------------------------

TEST_CASE("guard_list: a guard is named until it is dropped", "[shutdown]") {
  phase_list phases;
  guard_list guards;
  auto thread = std::make_shared<rosia::detail::thread_outcome<int>>();
  auto first = guards.add("first", false, nullptr);
  auto second = guards.add("second", true, thread);
  CHECK(first != second);
  CHECK(guards.drop(first, false).name == "first");
  auto left = entries(guards, phases.threads());
  REQUIRE(left.size() == 1);
  CHECK(left[0].name == "second");
  CHECK(left[0].now == part_report::state::ending);
  CHECK(guards.drop(second, true).temporary);
  CHECK(guards.empty());
  timeline_builder builder{clock_type::now()};
  builder.enter(phases.threads());
  guards.add_to(builder);
  auto timeline = std::move(builder).complete();
  REQUIRE(timeline.size() == 2); // the phase, and the guard dropped in it
  CHECK(timeline[1].name == "second");
  CHECK(timeline[1].over);
}

// -- action_list --------------------------------------------------------------

TEST_CASE("action_list: an action belongs to its phase, and may be removed "
          "until the phase begins",
          "[shutdown]") {
  phase_list phases;
  auto& threads = phases.threads();
  auto& final = phases.find("final");
  action_list actions;
  actions.add(threads, "first", [](auto&) {});
  auto second = actions.add(threads, "second", [](auto&) {});
  auto third = actions.add(final, "third", [](auto&) {});
  CHECK(actions.remove(second).size() == 1);
  CHECK(actions.remove(second).empty());
  threads.began = true;
  actions.enter(threads);
  auto* begun = actions.begin_next(threads);
  REQUIRE(begun != nullptr);
  CHECK(begun->name == "first");
  CHECK(actions.begin_next(threads) == nullptr);
  CHECK(actions.remove(begun->id).empty());
  CHECK_THROWS_AS(actions.add(threads, "late", [](auto&) {}), std::logic_error);
  CHECK_FALSE(actions.are_over(threads));
  begun->run.end("no");
  CHECK(actions.have_failed(threads));
  CHECK(actions.are_over(threads));
  auto failed = entries(actions, true); // "third" never begins
  REQUIRE(failed.size() == 1);
  CHECK(failed[0].error == "no");
  CHECK(actions.remove(third).size() == 1);
}

TEST_CASE("action_list: one by one, an action begins when the one that was "
          "added after it ended",
          "[shutdown]") {
  phase_list phases;
  auto& threads = phases.threads();
  threads.options.one_by_one = true;
  action_list actions;
  for (auto* name : {"first", "second", "third"})
    actions.add(threads, name, [](auto&) {});
  threads.began = true;
  actions.enter(threads);
  auto* third = actions.begin_next(threads);
  REQUIRE(third != nullptr);
  CHECK(third->name == "third");
  CHECK(actions.begin_next(threads) == nullptr);
  third->run.end("");
  auto* second = actions.begin_next(threads);
  REQUIRE(second != nullptr);
  CHECK(second->name == "second");
  actions.leave(threads, false);
  second->run.end("");
  CHECK(actions.begin_next(threads) == nullptr);
  CHECK(actions.are_over(threads));
  auto failed = entries(actions, false);
  REQUIRE(failed.size() == 1);
  CHECK(failed[0].name == "first");
}

// -- worker_list --------------------------------------------------------------

TEST_CASE("worker_list: workers are awaited in reverse order, and a failed "
          "worker holds up no other",
          "[shutdown]") {
  shutdown_state state{quiet()};
  phase_list phases;
  worker_list workers;
  strings order;
  for (auto* name : {"a", "b"})
    workers.add(
      phases.threads(), name, [&order, name] { order.push_back(name); },
      [&order, name] {
        order.push_back(name);
        if (*name == 'b')
          throw std::runtime_error("no");
      });
  CHECK_FALSE(workers.are_over());
  workers.run(state);
  CHECK(order == strings{"a", "b", "b", "a"});
  CHECK(workers.are_over());
  auto failed = entries(workers, phases.threads());
  REQUIRE(failed.size() == 1);
  CHECK(failed[0].name == "b");
  CHECK(failed[0].error == "no");
  CHECK(state.course.result(true) == 1);
}

// -- recheck_list -------------------------------------------------------------

TEST_CASE("recheck_list: the pause doubles up to a limit, until a phase begins",
          "[shutdown]") {
  shutdown_state state{quiet()};
  phase_list phases;
  participant_list participants{state, phases};
  participant actor{participants, phases.threads(), nullptr};
  recheck_list rechecks;
  auto now = clock_type::time_point{} + 1h;
  CHECK(rechecks.due_at() == clock_type::time_point::max());
  for (auto pause : {1ms, 2ms, 4ms, 8ms, 16ms, 32ms, 50ms, 50ms}) {
    CHECK(rechecks.add(actor, now));
    CHECK_FALSE(rechecks.add(actor, now));
    CHECK(rechecks.due_at() == now + pause);
    CHECK(rechecks.take(now).empty());
    CHECK(rechecks.take(now + pause).size() == 2);
  }
  rechecks.reset_pause();
  rechecks.add(actor, now);
  CHECK(rechecks.due_at() == now + 1ms);
}

// -- shutdown_course ----------------------------------------------------------

TEST_CASE("shutdown_course: the status is the worst of all events, unless the "
          "shutdown is aborted",
          "[shutdown]") {
  shutdown_course course{10s};
  CHECK(course.begin({"done", 3}));
  CHECK_FALSE(course.begin({"done again", 4}));
  course.worsen_status(1);
  CHECK(course.result(true) == 3);
  CHECK(course.result(false) == 129);
  CHECK(course.abort_status() == 129);
  CHECK(course.abort(2, "enough"));
  CHECK_FALSE(course.abort(5, "enough"));
  CHECK(course.result(true) == 2);
  CHECK(course.abort_status() == 2);
}

// -- shutdown_state -----------------------------------------------------------

TEST_CASE("shutdown_state: the latest end is the deadline, or the abort, plus "
          "the grace period",
          "[shutdown]") {
  auto opts = quiet();
  opts.deadline = 10s;
  opts.grace_period = 2s;
  shutdown_state state{opts};
  CHECK_FALSE(state.latest_end());
  state.begin({"done"});
  auto held = state.acquire();
  CHECK(state.latest_end() == *state.course.begun_at() + 12s);
  state.course.deadline(std::chrono::nanoseconds::max());
  CHECK(state.latest_end() == clock_type::time_point::max());
  state.course.abort(1, "enough");
  CHECK(state.latest_end() == *state.course.aborted_at() + 2s);
  state.finish();
  CHECK_FALSE(state.latest_end());
}

// -- thread_list --------------------------------------------------------------

TEST_CASE("thread_list: a thread keeps its owner until its code is destroyed",
          "[shutdown]") {
  shutdown_state state{quiet()};
  thread_list threads{state};
  std::atomic<bool> let_go = false;
  auto owner = std::make_shared<int>(0);
  auto content = std::make_shared<int>(0);
  threads.start(owner, [&let_go, content] {
    eventually([&] { return let_go.load(); });
  });
  {
    auto held = state.acquire();
    CHECK_FALSE(threads.all_done());
  }
  CHECK(owner.use_count() == 2);
  let_go = true;
  CHECK(eventually([&] { return owner.use_count() == 1; }));
  CHECK(content.use_count() == 1);
  auto held = state.acquire();
  CHECK(threads.all_done());
  threads.close(held);
  held.unlock();
  threads.start(owner, [content] {}); // otherwise not waited for
  CHECK(content.use_count() == 1);
}

} // namespace rooms_test
