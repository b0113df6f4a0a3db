// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Watchdogs in applications: section 10.8 of the semantics.

#include "application/application_access.hpp"

#include "caf/rosia/test/check_resume.hpp"

#include "support.hpp"
#include "temporary_folder.hpp"

#include <atomic>
#include <functional>
#include <future>
#include <optional>

namespace application_watchdogs_test {

namespace {

/// Waits for another node, with a watchdog.
struct guard : rosia::node, rosia::stateless<guard> {
  explicit guard(std::function<void()> fun, rosia::time_span timeout = 10ms)
    : dog{this, "dog", timeout, std::move(fun)} {
    // nop
  }

  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};
  rosia::watchdog dog;

  void start() {
    dog.start();
  }

  rosia::reaction on_in{this, "on_in", {in}, [this] { got.push_back(now()); }};
  rosia::reaction on_dog{
    this, "on_dog", {dog}, [this] {
      expired.push_back(now());
      out(1);
    }};

  std::vector<logical_time> got;
  std::vector<logical_time> expired;
};

/// Is alive every 10 ms, up to a time.
struct heart : rosia::node {
  rosia::state<int> beats{this, "beats", 0};
  rosia::tick step{this, "step", 10ms};
  rosia::output_port<int> out{this, "out"};
  rosia::reaction on_step{
    this, "on_step", {step}, [this] {
      if (++*beats <= 3)
        out(*beats);
    }};
};

/// Writes down when no beat has come for 300 ms.
struct monitor : rosia::node {
  rosia::input_port<int> beat{this, "beat"};
  rosia::watchdog dog{this, "dog", 300ms, [this] { ++handled; }};
  rosia::state<std::vector<logical_time>> expired{this, "expired", {}};
  rosia::reaction on_beat{this, "on_beat", {beat}, [this] { dog.start(); }};
  rosia::reaction on_dog{
    this, "on_dog", {dog}, [this] {
      expired->push_back(now());
      request_shutdown();
    }};
  std::atomic<int> handled = 0;
};

} // namespace

TEST_CASE(
  "10.8.2 the handler of a node that waits for a node that hangs runs at "
  "once",
  "[application]") {
  test_system sys;
  rosia::application app{sys, real_time()};
  std::promise<void> release;
  auto hanging = app.create<stuck>("hanging", release.get_future());
  auto waiting = app.create<guard>("waiting", [&] { release.set_value(); });
  app.connect(hanging, &stuck::out, waiting, &guard::in);
  CHECK(app.run() == 0);
  CHECK(waiting->got == std::vector{logical_time{}});
  CHECK(waiting->expired == std::vector{at(10ms)});
}

TEST_CASE("10.8.2 a handler may request an end of the application",
          "[application]") {
  test_system sys;
  rosia::application app{sys, real_time()};
  app.create<rosia::timer>("clock", 5ms);
  auto node = app.create<guard>("node", [&] { app.request_shutdown(); });
  auto calm = app.create<guard>(
    "calm", [] {}, 1h);
  CHECK(app.run() == 0);
  CHECK(node->expired == std::vector{at(10ms)});
  CHECK(calm->expired.empty());
}

TEST_CASE("10.8.2 a handler that fails aborts the application",
          "[application]") {
  error_capture capture;
  test_system sys;
  rosia::application app{sys, real_time()};
  auto node
    = app.create<guard>("node", [] { throw std::runtime_error("no light"); });
  app.create<rosia::timer>("clock", 5ms);
  CHECK(app.run() == 1);
  CHECK(node->expired.empty());
  CHECK_THAT(
    capture.text(),
    ContainsSubstring("error in 'handler of dog' at tag 10ms: no light"));
}

TEST_CASE("10.8.3 an end before the expiry does not wait for it",
          "[application]") {
  for (auto realtime : {false, true}) {
    test_system sys;
    auto opts = realtime ? real_time() : fast();
    opts.stop_after = at(5ms);
    rosia::application app{sys, opts};
    auto node = app.create<guard>(
      "node", [] {}, 1h);
    CHECK(app.run() == 0);
    CHECK(node->expired.empty());
  }
}

TEST_CASE("10.8.3 an abort ends a node with a watchdog", "[application]") {
  test_system sys;
  rosia::application app{sys, real_time()};
  auto node = app.create<guard>(
    "node", [] {}, 1h);
  app.create<guard>("other", [&] { app.abort(7); });
  CHECK(app.run() == 7);
  CHECK(node->expired.empty());
}

TEST_CASE("10.8.3 a node with nothing but a watchdog ends after its expiry",
          "[application]") {
  for (auto realtime : {false, true}) {
    test_system sys;
    rosia::application app{sys, realtime ? real_time() : fast()};
    auto node = app.create<guard>("node", [] {});
    CHECK(app.run() == 0);
    CHECK(node->expired == std::vector{at(10ms)});
    auto text = to_string(app.status());
    CHECK(
      app.status().nodes[0].watchdogs
      == std::vector<rosia::watchdog_report>{{.name = "dog", .expiries = 1}});
  }
}

TEST_CASE("10.8.2 other nodes do not delay an expiry: its node is in no group",
          "[application]") {
  for (auto* groups : {"auto", "all", "shuffle"}) {
    test_system sys;
    auto opts = fast();
    opts.groups = groups;
    rosia::application app{sys, opts};
    std::string trace;
    rosia::detail::application_access::trace(app, [&](std::string_view lines) {
      trace += lines;
    });
    auto node = app.create<guard>("node", [] {});
    auto first = app.create<source<int>>("first", one_seven);
    auto second = app.create<relay<int>>("second");
    auto last = app.create<::recorder<int>>("last");
    app.connect(first, &source<int>::out, second, &relay<int>::in);
    app.connect(second, &relay<int>::out, node, &guard::in);
    app.connect(node, &guard::out, last, &::recorder<int>::in);
    CHECK(app.run() == 0);
    CHECK(last->got == record<int>{{10ms, 1}});
    CHECK(
      trace.find(R"("group","node":"node","group":")") == std::string::npos);
  }
}

TEST_CASE("reports show the watchdogs that run, expiries, and a handler that "
          "hangs",
          "[application][report]") {
  test_system sys;
  rosia::application app{sys, real_time()};
  std::promise<void> release;
  auto released = release.get_future().share();
  std::atomic<bool> hangs = false;
  app.create<guard>("stuck", [&] {
    hangs = true;
    released.wait();
  });
  auto calm = app.create<guard>(
    "calm", [] {}, 1h);
  auto before = app.status();
  CHECK(before.nodes[0].watchdogs
        == std::vector<rosia::watchdog_report>{{.name = "dog"}});
  std::thread runner{[&] { CHECK(app.run() == 0); }};
  REQUIRE(eventually([&] { return hangs.load(); }));
  auto report = app.status();
  CHECK(report.nodes[0].watchdogs
        == std::vector<rosia::watchdog_report>{{.name = "dog", .expiries = 1}});
  CHECK(report.nodes[1].watchdogs
        == std::vector<rosia::watchdog_report>{
          {.name = "dog", .runs = true, .expiry = 1h}});
  CHECK(report.nodes[0].code == "handler of dog");
  CHECK(report.nodes[0].code_tag == at(10ms));
  CHECK(report.nodes[0].running);
  auto text = to_string(report);
  CHECK_THAT(
    text,
    ContainsSubstring(
      "'stuck': handler of dog at tag 10ms is still running after")
      && ContainsSubstring("watchdog 'dog' expired once")
      && ContainsSubstring("waits for physical time to pass 3600s; watchdog "
                           "'dog' expires at 3600s"));
  auto json = rosia::to_json(report);
  CHECK_THAT(
    json,
    ContainsSubstring("\"watchdogs\": {")
      && ContainsSubstring("\"expiry_ns\": 3600000000000")
      && ContainsSubstring("\"expiry_ns\": null")
      && ContainsSubstring("\"expiries\": 1"));
  release.set_value();
  app.request_shutdown();
  runner.join();
  CHECK(calm->expired.empty());
}

TEST_CASE("10.8.3 a run that resumes continues with the watchdogs that ran",
          "[application][checkpoint]") {
  test::temporary_folder folder;
  auto run = [&](rosia::options opts) {
    test_system sys;
    opts.checkpoint.file = folder.file("run.db");
    rosia::application app{sys, std::move(opts)};
    auto from = app.create<heart>("heart");
    auto to = app.create<monitor>("monitor");
    app.connect(from, &heart::out, to, &monitor::beat);
    CHECK(app.run() == 0);
    return std::pair{*to->expired, to->handled.load()};
  };
  auto first = run(fast_until(25ms));
  CHECK(first.first.empty());
  auto opts = real_time();
  opts.resume.file = folder.file("run.db");
  auto [expired, handled] = run(opts);
  // The last beat is at 20 ms.
  CHECK(expired == std::vector{at(320ms)});
  CHECK(handled == 1);
}

namespace {

/// Is hours ahead of physical time.
struct hurried : rosia::node {
  rosia::state<std::vector<logical_time>> expired{this, "expired", {}};
  rosia::tick step{this, "step", 30min};
  rosia::watchdog dog{this, "dog", 1h};
  rosia::reaction on_step{
    this, "on_step", {step}, [this] {
      if (now() == at(0h))
        dog.start();
      else if (now() == at(2h))
        dog.stop();
    }};
  rosia::reaction on_dog{
    this, "on_dog", {dog}, [this] { expired->push_back(now()); }};
};

} // namespace

TEST_CASE("10.8.3 a watchdog whose expiry a checkpoint has passed expires in "
          "the run that resumes",
          "[application][checkpoint]") {
  test::temporary_folder folder;
  auto run = [&](rosia::options opts) {
    test_system sys;
    rosia::application app{sys, std::move(opts)};
    auto node = app.create<hurried>("node");
    CHECK(app.run() == 0);
    return *node->expired;
  };
  auto opts = fast_until(150min);
  opts.checkpoint.file = folder.file("run.db");
  opts.checkpoint.every = 90min;
  CHECK(run(opts).empty());
  opts = fast_until(150min);
  opts.resume.file = folder.file("run.db");
  opts.resume.at = at(90min);
  CHECK(run(opts) == std::vector{at(90min + 1ns)});
}

TEST_CASE("10.8.3 check_resume assumes that no watchdog expires",
          "[application][checkpoint]") {
  test_system sys;
  rosia::test::check_resume(
    sys,
    [](rosia::application& app) {
      auto from = app.create<heart>("heart");
      auto to = app.create<monitor>("monitor");
      app.connect(from, &heart::out, to, &monitor::beat);
    },
    100ms);
}

} // namespace application_watchdogs_test
