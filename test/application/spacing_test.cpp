// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The spacing of actions, and actions from outside, in applications: section
// 10.5 of the semantics.

#include "application/application_access.hpp"

#include "caf/rosia/test/check_resume.hpp"

#include "support.hpp"
#include "temporary_folder.hpp"

namespace spacing_test {

namespace {

/// Schedules an action of each policy for each value, and sends what is
/// present.
struct policies : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};
  rosia::action<int> deferred{this, "deferred", rosia::spacing{5ms}};
  rosia::action<int> dropped{this, "dropped", rosia::spacing{5ms, rosia::drop}};
  rosia::action<int> replaced{
    this, "replaced", rosia::spacing{5ms, rosia::replace}};
  rosia::action<int> updated{
    this, "updated", rosia::spacing{5ms, rosia::update}};
  rosia::state<int> sum{this, "sum", 0};

  rosia::reaction on_any{
    this, "on_any", {in, deferred, dropped, replaced, updated}, [this] {
      auto add = [this](int x) { sum = (*sum * 7 + x) % 1'000'003; };
      for (auto* x : {&deferred, &dropped, &replaced, &updated})
        if (x->is_present())
          add(**x);
      if (in.is_present())
        for (auto* x : {&deferred, &dropped, &replaced, &updated})
          add(x->schedule(std::chrono::milliseconds{*in % 11 + 1}, in));
      out(*sum);
    }};
};

/// Sends a number each 3 ms, and then 500 ms later, again and again.
struct numbers : rosia::node {
  rosia::output_port<int> out{this, "out"};
  rosia::tick often{this, "often", 3ms};
  rosia::state<int> last{this, "last", 0};
  rosia::reaction on_often{
    this, "on_often", {often}, [this] {
      last = (*last * 31 + 7) % 1'009;
      if (*last % 3 != 0)
        out(*last);
    }};
};

void add_policies(rosia::application& app) {
  auto x = app.create<numbers>("numbers");
  auto y = app.create<policies>("policies");
  x[&numbers::out] >>= y[&policies::in];
}

/// Takes one call an hour.
struct bell : rosia::node, rosia::stateless<bell> {
  rosia::physical_action<int> ring{
    this, "ring", rosia::spacing{1h, rosia::drop}};
  rosia::reaction on_ring{
    this, "on_ring", {ring}, [this] {
      seen.push_back(*ring);
      request_shutdown(1ms);
    }};
  std::vector<int> seen;
};

} // namespace

TEST_CASE("10.5.2 spacings do not depend on the number of threads or on groups",
          "[action]") {
  record<int> expected;
  for (auto workers : {1u, 3u})
    for (auto* groups : {"off", "all", "auto"}) {
      test_system sys{workers};
      auto opts = fast_until(300ms);
      opts.groups = groups;
      rosia::application app{sys, opts};
      auto x = app.create<numbers>("numbers");
      auto y = app.create<policies>("policies");
      auto z = app.create<recorder<int>>("sink");
      x[&numbers::out] >>= y[&policies::in];
      y[&policies::out] >>= z[&recorder<int>::in];
      CHECK(app.run() == 0);
      CHECK(z->got.size() > 100);
      if (expected.empty())
        expected = z->got;
      CHECK(z->got == expected);
    }
}

TEST_CASE("10.5.3 a run that resumes continues the spacings", "[action]") {
  test_system sys;
  rosia::test::check_resume(sys, add_policies, 200ms, 30);
}

TEST_CASE("10.5.3 a checkpoint has the last tag of a physical action",
          "[action]") {
  test::temporary_folder folder;
  auto run = [&](rosia::options opts, int value) {
    test_system sys;
    rosia::application app{sys, opts};
    auto node = app.create<bell>("bell");
    CHECK(node->ring.schedule(value));
    CHECK(app.run() == 0);
    return node->seen;
  };
  auto opts = real_time();
  opts.checkpoint.file = folder.file("run.db");
  CHECK(run(opts, 1) == std::vector{1});
  opts = real_time();
  opts.resume.file = folder.file("run.db");
  opts.stop_after = at(60ms);
  CHECK(run(opts, 2).empty());
  // A spacing that the node has no longer is ignored.
  struct plain : rosia::node, rosia::stateless<plain> {
    rosia::physical_action<int> ring{this, "ring"};
    rosia::reaction on_ring{this, "on_ring", {ring}, [this] { ++seen; }};
    int seen = 0;
  };
  test_system sys;
  rosia::application app{sys, opts};
  auto node = app.create<plain>("bell");
  CHECK(node->ring.schedule(3));
  CHECK(app.run() == 0);
  CHECK(node->seen == 1);
}

TEST_CASE("10.5.2 any thread may call an action with a spacing, and the report "
          "counts what it drops",
          "[action]") {
  test_system sys;
  rosia::application app{sys, real_time()};
  auto node = app.create<bell>("bell");
  std::atomic<int> accepted = 0;
  std::vector<std::thread> callers;
  for (auto i = 0; i < 4; ++i)
    callers.emplace_back([&] {
      for (auto j = 0; j < 100; ++j)
        accepted += node->ring.schedule(j) ? 1 : 0;
    });
  for (auto& x : callers)
    x.join();
  CHECK(app.run() == 0);
  CHECK(accepted == 400);
  CHECK(node->seen == std::vector{0});
  auto report = app.status();
  auto& counts = report.nodes[0].dropped_by_spacing;
  REQUIRE(counts.size() == 1);
  CHECK(counts[0].first == "ring");
  CHECK(counts[0].second == 399);
  CHECK_THAT(to_json(report), ContainsSubstring("\"dropped_by_spacing\": {"));
}

TEST_CASE("10.5.3 the trace and the diagram have spacings", "[action]") {
  test_system sys;
  rosia::application app{sys, fast_until(50ms)};
  add_policies(app);
  app.create<bell>("bell");
  auto dot = rosia::to_dot(app.diagram());
  CHECK_THAT(dot, ContainsSubstring("action deferred (spacing 5ms, defer)"));
  CHECK_THAT(
    dot, ContainsSubstring("physical action ring (spacing 3600s, drop)"));
  std::string trace;
  rosia::detail::application_access::trace(
    app, [&trace](std::string_view text) { trace += text; });
  CHECK(app.run() == 0);
  for (
    auto part :
    {R"({"name":"updated","type":"int","spacing":5000000,"policy":"update"})",
     R"("physical":true,"spacing":3600000000000,"policy":"drop"})",
     R"({"event":"withdraw","node":"policies","tag":[)"})
    CHECK_THAT(trace, ContainsSubstring(part));
}

} // namespace spacing_test
