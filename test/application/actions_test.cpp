// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Events that nodes schedule for themselves, in applications.

#include "application/application_access.hpp"

#include "caf/rosia/test/check_resume.hpp"

#include "support.hpp"
#include "temporary_folder.hpp"

#include <optional>
#include <string_view>

namespace actions_test {

namespace {

/// Sends each number twice: at once, and 5 ms later.
struct doubler : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::input_port<int> unused{this, "unused"};
  rosia::output_port<int> out{this, "out"};
  rosia::action<int> later{this, "later"};
  rosia::state<int> sent{this, "sent", 0};

  rosia::reaction on_any{
    this, "on_any", {in, later}, [this] {
      if (in.is_present())
        later.schedule(5ms, in);
      out(later.is_present() ? -*later : *in);
      ++sent;
    }};

  rosia::reaction on_unused{this, "on_unused", {unused, later}, [] {}};
};

/// Sends numbers at its ticks.
struct ticking : rosia::node {
  rosia::tick often{this, "often", 7ms, 3ms};
  rosia::tick seldom{this, "seldom", 40ms};
  rosia::tick only{this, "only", rosia::once, 90ms};
  rosia::output_port<int> out{this, "out"};
  rosia::state<int> count{this, "count", 0};
  rosia::reaction on_any{
    this, "on_any", {often, seldom, only}, [this] {
      count = (*count * 7 + (often.is_present() ? 1 : 0)
               + (seldom.is_present() ? 2 : 0) + (only.is_present() ? 4 : 0))
              % 1000;
      out(*count);
    }};
};

/// Never ends by itself.
struct heartbeat : rosia::node {
  rosia::action<void> beat{this, "beat"};
  rosia::reaction on_beat{this, "on_beat", {beat}, [this] { start(); }};
  void start() {
    beat.schedule(1h);
    beat.schedule(2h);
  }
};

struct chain {
  chain(caf::actor_system& sys, const rosia::options& opts) : app{sys, opts} {
    auto first = app.create<source<int>>(
      "first", std::vector<source<int>::item>{
                 {{}, 1}, {2ms, 2}, {3ms, 3}, {5ms, 4}}); // each after the last
    auto middle = app.create<doubler>("middle");
    last = app.create<recorder<int>>("last");
    app.connect(first, &source<int>::out, middle, &doubler::in);
    app.connect(middle, &doubler::out, *last, &recorder<int>::in);
    node = middle;
  }

  rosia::application app;
  std::optional<rosia::node_ref<recorder<int>>> last;
  std::optional<rosia::node_ref<doubler>> node;
};

} // namespace

TEST_CASE("scheduled events do not depend on the number of threads",
          "[action]") {
  for (auto workers : {1u, 2u, 4u}) {
    test_system sys{workers};
    chain x{sys, fast()};
    CHECK(x.app.run() == 0);
    CHECK((*x.last)->got
          == record<int>{
            {0s, 1}, {2ms, 2}, {5ms, -1}, {7ms, -2}, {10ms, -3}, {15ms, -4}});
  }
}

TEST_CASE("the trace contains scheduled events and their effects", "[action]") {
  test_system sys;
  chain x{sys, fast()};
  std::string trace;
  rosia::detail::application_access::trace(
    x.app, [&trace](std::string_view text) { trace += text; });
  CHECK(x.app.run() == 0);
  CHECK((*x.node)->sent == 6);
  for (
    auto part :
    {R"("name":"on_any","triggers":["in"],"eager":false,"actions":["later"]})",
     R"("actions":[{"name":"later","type":"int"}])",
     R"("triggers":["in"],"eager":false}]})",
     R"({"event":"schedule","node":"middle","tag":[0,0],"action":"later","due":[5000000,0],"digest":)",
     R"({"event":"action","node":"middle","tag":[5000000,0],"action":"later","digest":)"})
    CHECK_THAT(trace, ContainsSubstring(part));
}

TEST_CASE("10.4.1 ticks are in the trace and in the diagram", "[tick]") {
  struct clock : rosia::node {
    rosia::tick step{this, "step", 10ms, 5ms};
    rosia::tick boot{this, "boot", rosia::once};
    rosia::reaction on_any{this, "on_any", {step, boot}, [] {}};
  };
  test_system sys;
  rosia::application app{sys, fast_until(20ms)};
  app.create<clock>("clock");
  CHECK_THAT(
    rosia::to_dot(app.diagram()),
    ContainsSubstring("tick step (every 10ms from 5ms), tick boot (at 0s)"));
  std::string trace;
  rosia::detail::application_access::trace(
    app, [&trace](std::string_view text) { trace += text; });
  CHECK(app.run() == 0);
  for (
    auto part :
    {R"({"name":"step","type":"","offset":5000000,"period":10000000})",
     R"({"name":"boot","type":"","offset":0,"period":0})",
     R"({"event":"action","node":"clock","tag":[0,0],"action":"boot",)",
     R"({"event":"action","node":"clock","tag":[15000000,0],"action":"step",)"})
    CHECK_THAT(trace, ContainsSubstring(part));
  CHECK_THAT(trace, !ContainsSubstring(R"("event":"schedule")"));
}

TEST_CASE("10.4.2 a run that resumes continues the ticks", "[tick]") {
  test_system sys;
  rosia::test::check_resume(
    sys,
    [](rosia::application& app) {
      app.connect(app.create<ticking>("clock"), &ticking::out,
                  app.create<doubler>("doubler"), &doubler::in);
    },
    200ms, 20);
}

TEST_CASE("10.4.2 a tick that a checkpoint lacks begins after it", "[tick]") {
  struct older : rosia::node, rosia::stateless<older> {
    rosia::tick often{this, "often", 10ms};
  };
  struct newer : rosia::node, rosia::stateless<newer> {
    rosia::tick often{this, "often", 6ms};
    rosia::tick more{this, "more", 100ms, 70ms};
  };
  test::temporary_folder folder;
  auto last_tag = [](const rosia::options& opts, auto type) {
    test_system sys;
    rosia::application app{sys, opts};
    auto node = app.create<typename decltype(type)::type>("node");
    CHECK(app.run() == 0);
    return node->now();
  };
  auto opts = fast_until(35ms);
  opts.checkpoint.file = folder.file("run.db");
  CHECK(last_tag(opts, std::type_identity<older>{}) == at(30ms));
  opts = fast_until(69ms);
  opts.resume.file = folder.file("run.db");
  CHECK(last_tag(opts, std::type_identity<newer>{}) == at(66ms));
  opts.stop_after = at(70ms);
  CHECK(last_tag(opts, std::type_identity<newer>{}) == at(70ms));
}

TEST_CASE("a reaction with an action among its triggers may run, even without "
          "connections",
          "[action]") {
  error_capture capture;
  {
    test_system sys;
    chain x{sys, with_log(fast(), "info")};
    CHECK(x.app.run() == 0);
  }
  CHECK_THAT(capture.text(),
             ContainsSubstring("reaction 'on_unused' of node 'middle' runs "
                               "without its trigger 'unused'"));
  CHECK_THAT(capture.text(), !ContainsSubstring("never runs"));
}

TEST_CASE("a report has the number of a node's scheduled events", "[action]") {
  test_system sys;
  rosia::application app{sys, real_time()};
  app.create<heartbeat>("heart");
  std::thread observer{[&] {
    for (;;) {
      auto x = app.status();
      if (x.stage == rosia::application_stage::running
          && x.nodes[0].scheduled == 2) {
        CHECK(x.nodes[0].next == at(1h));
        CHECK(x.nodes[0].yielded == 0);
        CHECK_THAT(to_string(x), ContainsSubstring("2 events scheduled"));
        break;
      }
      std::this_thread::yield();
    }
    app.request_shutdown();
  }};
  CHECK(app.run() == 0);
  observer.join();
}

TEST_CASE("the final tag cuts off scheduled events", "[action]") {
  for (auto groups : {"off", "all"}) {
    test_system sys;
    auto opts = fast_until(7ms);
    opts.groups = groups;
    chain x{sys, opts};
    CHECK(x.app.run() == 0);
    CHECK((*x.last)->got.back().tag == at(7ms));
    CHECK((*x.last)->got.back().value == -2);
  }
}

} // namespace actions_test
