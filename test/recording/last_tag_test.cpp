// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The last tag in applications, with their traces and recordings: section 10.6
// of the semantics.

#include "recorded_run.hpp"

#include "caf/rosia/test/check_resume.hpp"

#include "rosia_trace/checker.hpp"

#include <atomic>
#include <future>
#include <optional>
#include <string>

namespace recorded_last_tag_test {

namespace {

/// Sends 1 at each of its steps, and their number at the last tag.
struct counter : rosia::node {
  explicit counter(int n = 1'000'000) : most(n) {
    // nop
  }

  rosia::output_port<int> out{this, "out"};
  rosia::action<void> step{this, "step"};
  rosia::state<int> count{this, "count", 0};

  void start() {
    step.schedule(10ms);
  }

  rosia::reaction on_step{
    this, "on_step", {step}, [this] {
      out(1);
      if (++*count < most)
        step.schedule(10ms);
    }};
  rosia::reaction at_end{
    this, "at_end", {rosia::at_shutdown}, [this] { out(*count); }};

  int most;
};

/// Forwards its values, and stores them.
struct station : rosia::node, rosia::stateless<station> {
  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};
  rosia::reaction on_in{this, "on_in", {in}, [this] {
                          got.emplace_back(now(), *in);
                          out(*in);
                        }};

  void shutdown() {
    final = final_tag();
    ++shutdowns;
  }

  record<int> got;
  logical_time final;
  std::atomic<int> shutdowns = 0;
};

/// Waits at the last tag until a test releases it.
struct stuck_at_end : rosia::node {
  explicit stuck_at_end(std::shared_future<void> when)
    : released(std::move(when)) {
    // nop
  }

  rosia::output_port<int> out{this, "out"};
  std::shared_future<void> released;

  rosia::reaction at_end{
    this, "at_end", {rosia::at_shutdown}, [this] {
      released.wait();
      out(1);
    }};
};

struct failing : rosia::node {
  rosia::output_port<int> out{this, "out"};
  rosia::reaction at_end{
    this, "at_end", {rosia::at_shutdown}, [] {
      throw std::runtime_error("no light");
    }};
};

/// A counter and two stations.
struct chain {
  explicit chain(rosia::application& app, int most = 1'000'000)
    : from(app.create<counter>("from", most)),
      middle(app.create<station>("middle")), to(app.create<station>("to")) {
    app.connect(from, &counter::out, middle, &station::in);
    app.connect(middle, &station::out, to, &station::in);
  }

  rosia::node_ref<counter> from;
  rosia::node_ref<station> middle, to;
};

/// Makes an application write its trace, and checks it.
class checked_trace {
public:
  explicit checked_trace(rosia::application& app) {
    rosia::detail::application_access::trace(
      app, [this](std::string_view lines) { text_ += lines; });
  }

  void check() const {
    auto found = rosia_trace::check(text_);
    if (found)
      FAIL_CHECK(rosia_trace::to_string(*found, "trace") << '\n' << text_);
  }

  const std::string& text() const noexcept {
    return text_;
  }

private:
  std::string text_;
};

} // namespace

TEST_CASE("10.6.1 the last tag is the same with any threads and groups",
          "[recording]") {
  for (auto by_itself : {false, true})
    for (auto threads : {1u, 2u, 4u})
      for (auto* groups : {"auto", "off", "all", "shuffle"}) {
        CAPTURE(by_itself, threads, groups);
        test_system sys{threads};
        auto opts = by_itself ? fast() : fast_until(45ms);
        opts.groups = groups;
        rosia::application app{sys, opts};
        checked_trace trace{app};
        chain nodes{app, by_itself ? 4 : 1'000'000};
        CHECK(app.run() == 0);
        trace.check();
        auto final = by_itself ? at(40ms) : at(45ms);
        CHECK(
          nodes.to->got
          == record<int>{
            {10ms, 1},
            {20ms, 1},
            {30ms, 1},
            {40ms, 1},
            {rosia::next_microstep(final), 4}});
        CHECK(nodes.to->final == final);
        CHECK(nodes.to->shutdowns == 1);
        CHECK(app.status().final == final);
      }
}

TEST_CASE("10.6.4 an end by a request from outside has a last tag",
          "[recording]") {
  for (auto realtime : {false, true}) {
    test_system sys;
    rosia::application app{sys, realtime ? real_time() : fast()};
    checked_trace trace{app};
    chain nodes{app};
    std::thread runner{[&] { CHECK(app.run() == 0); }};
    REQUIRE(eventually([&] { return app.status().elapsed > 0ns; }));
    app.request_shutdown();
    runner.join();
    trace.check();
    auto final = app.status().final;
    REQUIRE_FALSE(nodes.to->got.empty());
    CHECK(nodes.to->got.back().tag == rosia::next_microstep(final));
  }
}

TEST_CASE("10.6.4 an abort has no last tag", "[recording]") {
  test_system sys;
  rosia::application app{sys, real_time()};
  checked_trace trace{app};
  chain nodes{app};
  std::thread runner{[&] { CHECK(app.run() == 1); }};
  REQUIRE(eventually([&] { return app.status().elapsed > 0ns; }));
  app.abort(1);
  runner.join();
  trace.check();
  CHECK(trace.text().find("\"last\"") == std::string::npos);
}

TEST_CASE("10.6.4 a physical connection of a node that waits for the final tag "
          "keeps no node from its end",
          "[recording]") {
  test_system sys;
  rosia::application app{sys, fast()};
  checked_trace trace{app};
  chain nodes{app, 3};
  auto last = app.create<station>("last");
  nodes.middle[&station::out] >>= rosia::physical >>= last[&station::in];
  CHECK(app.run() == 0);
  trace.check();
  CHECK(last->got.size() == 3);
}

TEST_CASE("10.6.1 an error at the last tag aborts the application",
          "[recording]") {
  error_capture capture;
  test_system sys;
  rosia::application app{sys, fast()};
  checked_trace trace{app};
  auto from = app.create<failing>("from");
  auto to = app.create<station>("to");
  app.connect(from, &failing::out, to, &station::in);
  CHECK(app.run() == 1);
  trace.check();
  CHECK(to->got.empty());
  CHECK(to->shutdowns == 1);
  CHECK_THAT(capture.text(),
             ContainsSubstring("error in 'at_end' at tag 0s+1: no light"));
}

TEST_CASE("10.6.6 a node that hangs at the last tag is aborted within the "
          "deadline of the end",
          "[recording]") {
  error_capture capture;
  test_system sys;
  auto opts = fast();
  opts.grace_period = 300ms;
  rosia::application app{sys, opts};
  std::promise<void> release;
  auto from = app.create<stuck_at_end>("from", release.get_future().share());
  auto to = app.create<station>("to");
  app.connect(from, &stuck_at_end::out, to, &station::in);
  std::string report;
  std::thread releasing{[&] {
    // Before the process would end: the abort has its own grace period.
    CHECK(eventually([&] {
      auto x = app.status();
      for (auto& node : x.nodes)
        if (node.held_back_by == rosia::blocker::last_tag)
          report = to_string(node) + rosia::to_json(x);
      return x.stage == rosia::application_stage::aborted;
    }));
    release.set_value();
  }};
  CHECK(app.run() == 129);
  releasing.join();
  CHECK(to->shutdowns == 1);
  CHECK_THAT(report, ContainsSubstring("waits at the last tag for 'from.out'")
                       && ContainsSubstring("\"by\": \"last_tag\""));
  CHECK_THAT(capture.text(), ContainsSubstring("no node made progress"));
}

TEST_CASE("10.6.6 a report shows a node that waits for the end",
          "[recording]") {
  test_system sys;
  rosia::application app{sys, real_time()};
  app.create<counter>("waits", 1);
  app.create<rosia::timer>("clock", 5ms);
  std::thread runner{[&] { CHECK(app.run() == 0); }};
  CHECK(eventually([&] {
    auto x = app.status();
    return x.nodes[0].held_back_by == rosia::blocker::end
           && to_string(x).find(
                "has nothing left to do, waits for the final tag")
                != std::string::npos;
  }));
  app.request_shutdown();
  runner.join();
}

TEST_CASE("10.6.5 a run that resumes from the end executes a last tag of its "
          "own",
          "[recording][checkpoint]") {
  test::temporary_folder folder;
  auto run = [&](rosia::options opts) {
    test_system sys;
    opts.checkpoint.file = folder.file("run.db");
    rosia::application app{sys, std::move(opts)};
    chain nodes{app, 4};
    CHECK(app.run() == 0);
    return nodes.to->got;
  };
  CHECK(run(fast_until(25ms))
        == record<int>{{10ms, 1}, {20ms, 1}, {at(25ms, 1), 2}});
  auto opts = fast();
  opts.resume.file = folder.file("run.db");
  // By itself, which is a checkpoint as well.
  CHECK(run(opts) == record<int>{{30ms, 1}, {40ms, 1}, {at(40ms, 1), 4}});
  CHECK(run(opts) == record<int>{{at(40ms, 1), 4}});
}

TEST_CASE("10.6.5 a replay has the last tag of the recorded run",
          "[recording][replay]") {
  for (auto by_itself : {false, true}) {
    CAPTURE(by_itself);
    test::temporary_folder folder;
    auto file = folder.file("run.db");
    recording::steps steps;
    auto run = [&](rosia::options opts, std::size_t threads) {
      test_system sys{threads};
      rosia::application app{sys, opts};
      recording::kept_trace trace{app};
      chain nodes{app, by_itself ? 4 : 1'000'000};
      CHECK(app.run() == 0);
      steps = trace.steps();
      return nodes.to->got;
    };
    auto opts = by_itself ? fast() : fast_until(25ms);
    opts.record.file = file;
    opts.record.ports = "to.in";
    auto got = run(opts, 2);
    auto recorded = steps;
    CHECK(recording::ask(file, "SELECT COUNT(*) FROM value")
          == std::to_string(got.size()));
    recording::for_each_replay(file, {1, 2}, [&](auto& replay, auto threads) {
      CHECK(run(replay, threads) == got);
      CHECK(steps == recorded);
    });
  }
}

TEST_CASE("10.6.5 check_resume includes the last tag",
          "[recording][checkpoint]") {
  test_system sys;
  rosia::test::check_resume(
    sys,
    [](rosia::application& app) {
      chain nodes{app, 5};
    },
    100ms);
}

} // namespace recorded_last_tag_test
