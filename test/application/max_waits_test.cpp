// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Connections with a maximal wait in applications: section 10.10 of the
// semantics.

#include "support.hpp"

#include "caf/rosia/diagram.hpp"
#include "caf/rosia/test/check_resume.hpp"

#include <algorithm>
#include <chrono>
#include <future>
#include <string>
#include <utility>
#include <vector>

namespace application_max_waits_test {

namespace {

/// Runs a reaction at 5 ms, and records its values.
struct active : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};
  rosia::tick once{this, "once", rosia::once, 5ms};
  rosia::reaction on_tick{
    this, "on_tick", {once}, [this] {
      if (release)
        release->set_value();
      out(0);
    }};
  rosia::reaction on_in{this, "on_in", {in}, [this] {
                          got.emplace_back(now(), *in);
                          tardy.push_back(in.is_tardy());
                          intended.push_back(in.intended());
                          out(*in);
                        }};

  std::promise<void>* release = nullptr;
  record<int> got;
  std::vector<bool> tardy;
  std::vector<logical_time> intended;
};

/// Reads only what it declares.
struct declaring : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::input_port<int> other{this, "other"};
  rosia::reaction on_in{
    this, "on_in", {in}, rosia::reads(), rosia::writes(), [this] {
      tardy = in.is_tardy();
      intended = in.intended();
      if (other.is_tardy())
        tardy = true;
    }};
  bool tardy = true;
  logical_time intended;
};

} // namespace

TEST_CASE("10.10.1 a receiver continues while its sender hangs",
          "[application]") {
  for (auto realtime : {false, true})
    for (auto* groups : {"auto", "off", "all", "shuffle"}) {
      INFO(realtime << ' ' << groups);
      auto opts = realtime ? real_time() : fast();
      opts.groups = groups;
      test_system sys;
      rosia::application app{sys, opts};
      std::promise<void> release;
      auto from = app.create<stuck>("from", release.get_future());
      auto to = app.create<active>("to");
      auto last = app.create<::recorder<int>>("last");
      to->release = &release;
      from[&stuck::out] >>= rosia::maxwait(10ms) >>= to[&active::in];
      to[&active::out] >>= last[&::recorder<int>::in];
      CHECK(app.run() == 0);
      REQUIRE(to->got.size() == 1);
      CHECK(to->got[0].tag > at(15ms));
      CHECK(to->tardy == std::vector{true});
      CHECK(to->intended == std::vector{logical_time{}});
      REQUIRE(last->got.size() == 2);
      CHECK(last->got[0].tag == at(5ms));
      CHECK(last->got[1].tag == to->got[0].tag);
      auto report = app.status();
      using counts = std::vector<std::pair<std::string, std::uint64_t>>;
      CHECK(report.nodes[0].tardy_values.empty());
      CHECK(report.nodes[1].tardy_values == counts{{"in", 1}});
      CHECK_THAT(to_json(report), ContainsSubstring("\"tardy_values\": {"));
      report.nodes[1].stage = rosia::node_stage::executing;
      CHECK_THAT(to_string(report), ContainsSubstring("1 tardy value at 'in'"));
    }
}

TEST_CASE("10.10.1 values that arrive in time are those of a logical "
          "connection",
          "[application]") {
  auto run = [](bool waits, bool delayed) {
    test_system sys;
    rosia::application app{sys, fast()};
    auto from = app.create<source<int>>("from", one_seven);
    auto to = app.create<active>("to");
    if (waits && delayed)
      from[&source<int>::out] >>= rosia::after(3ms) >>= rosia::maxwait(1h)
        >>= to[&active::in];
    else if (waits)
      app.connect(from, &source<int>::out, to, &active::in, rosia::maxwait(1h));
    else if (delayed)
      from[&source<int>::out] >>= rosia::after(3ms) >>= to[&active::in];
    else
      from[&source<int>::out] >>= to[&active::in];
    CHECK(app.run() == 0);
    CHECK(
      std::find(to->tardy.begin(), to->tardy.end(), true) == to->tardy.end());
    for (std::size_t i = 0; i < to->got.size(); ++i)
      CHECK(to->intended[i] == to->got[i].tag);
    return to->got;
  };
  for (auto delayed : {false, true})
    CHECK(run(true, delayed) == run(false, delayed));
}

TEST_CASE("10.10.1 is_tardy() reads the port", "[application]") {
  error_capture capture;
  test_system sys;
  rosia::application app{sys, fast()};
  auto from = app.create<source<int>>("from", one_seven);
  auto to = app.create<declaring>("to");
  from[&source<int>::out] >>= rosia::maxwait(1h) >>= to[&declaring::in];
  from[&source<int>::out] >>= to[&declaring::other];
  CHECK(app.run() == 1);
  CHECK_FALSE(to->tardy);
  CHECK_THAT(
    capture.text(),
    ContainsSubstring("reads input 'other', which it does not declare"));
}

TEST_CASE("10.10.1 kinds of connections that do not go together are refused",
          "[application]") {
  test_system sys;
  rosia::application app{sys, fast()};
  auto from = app.create<source<int>>("from", one_seven);
  auto to = app.create<active>("to");
  auto problem = [&](const auto& first, const auto& second) {
    return error_of<rosia::graph_error>([&] {
      from[&source<int>::out] >>= first >>= second >>= to[&active::in];
    });
  };
  auto physical
    = "a physical connection has no delay and no maximal wait, because its "
      "receiver's clock determines the tags; leave out rosia::after and "
      "rosia::maxwait, or rosia::physical and rosia::keep_latest";
  CHECK(problem(rosia::physical, rosia::maxwait(1ms)) == physical);
  CHECK(problem(rosia::maxwait(1ms), rosia::keep_latest(1)) == physical);
  CHECK(problem(rosia::maxwait(1ms), rosia::maxwait(1ms))
        == "a connection has two maximal waits; leave out one rosia::maxwait");
  CHECK(problem(rosia::after(1ms), rosia::after(1ms))
        == "a connection has two delays; leave out one rosia::after");
  CHECK(problem(rosia::after(1ms), rosia::maxwait(-1ms))
        == "maxwait(-1ms): a maximal wait is not negative");
}

TEST_CASE("10.10.2 a connection with a maximal wait is refused in a loop",
          "[application]") {
  test_system sys;
  rosia::application app{sys, fast()};
  auto first = app.create<active>("first");
  auto second = app.create<active>("second");
  first[&active::out] >>= rosia::after(1ms) >>= second[&active::in];
  second[&active::out] >>= rosia::maxwait(1ms) >>= first[&active::in];
  CHECK(error_of<rosia::graph_error>([&] { app.run(); })
        == "the connection 'second.out' to 'first.in' has a maximal wait, but "
           "is part of a loop: 'first.out' to 'second.in'; leave out "
           "rosia::maxwait, or make one of the connections physical");
}

TEST_CASE("10.10.1 all connections of a bank may have a maximal wait",
          "[application]") {
  test_system sys;
  rosia::application app{sys, fast()};
  auto from = app.create_bank<source<int>>("from", 2, one_seven);
  auto to = app.create_bank<active>("to", 2);
  from[&source<int>::out] >>= rosia::maxwait(1h) >>= rosia::after(1ms)
    >>= to[&active::in];
  auto graph = app.diagram();
  REQUIRE(graph.connections.size() == 2);
  for (auto& x : graph.connections) {
    CHECK(x.max_wait == std::chrono::nanoseconds{1h}.count());
    CHECK(x.distance == rosia::delay{1ms});
  }
  CHECK_THAT(
    rosia::to_mermaid(graph), ContainsSubstring("after 1ms, maxwait 3600s"));
  CHECK(app.run() == 0);
}

namespace {

struct inner : rosia::composite {
  explicit inner(rosia::connection_kind kind) : part{this, "part"} {
    in >>= kind >>= part[&active::in];
  }

  rosia::inlet<int> in{this, "in"};
  rosia::part<active> part;
};

} // namespace

TEST_CASE("10.10.1 one part of a connection through a composite may have a "
          "maximal wait",
          "[application]") {
  auto run = [](const rosia::connection_kind& first,
                const rosia::connection_kind& second) {
    test_system sys;
    rosia::application app{sys, fast()};
    auto from = app.create<source<int>>("from", one_seven);
    auto to = app.create<inner>("to", second);
    from[&source<int>::out] >>= first >>= to[&inner::in];
    return app.diagram().connections.at(0);
  };
  CHECK(run(rosia::after(1ms), rosia::maxwait(7ns)).max_wait == 7);
  CHECK(
    run(rosia::maxwait(7ns), rosia::after(1ms)).distance == rosia::delay{1ms});
  auto problem = [&](const rosia::connection_kind& first,
                     const rosia::connection_kind& second) {
    return error_of<rosia::graph_error>([&] { run(first, second); });
  };
  CHECK(
    problem(rosia::maxwait(1ms), rosia::maxwait(1ms))
    == "the connection from 'from.out' to 'to.in' to 'to.part.in' has a "
       "maximal wait in one part, and a different one in another part; leave "
       "out rosia::maxwait there");
  CHECK_THAT(problem(rosia::physical, rosia::maxwait(1ms)),
             ContainsSubstring("and is physical in another part"));
}

namespace {

/// Sends a few numbers.
struct counting : rosia::node {
  rosia::state<int> n{this, "n", 0};
  rosia::tick step{this, "step", 10ms};
  rosia::output_port<int> out{this, "out"};
  rosia::reaction on_step{
    this, "on_step", {step}, [this] {
      if (++*n <= 5)
        out(*n);
    }};
};

/// Adds numbers up, and marks those that are tardy.
struct adding : rosia::node {
  rosia::state<int> sum{this, "sum", 0};
  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};
  rosia::tick step{this, "step", 7ms};
  rosia::reaction on_any{
    this, "on_any", {in, step}, [this] {
      if (in.is_present())
        *sum += in.is_tardy() ? 1'000 : *in;
      out(*sum);
    }};
};

} // namespace

TEST_CASE("10.10.1 check_resume assumes that no value is tardy",
          "[application][checkpoint]") {
  test_system sys;
  rosia::test::check_resume(
    sys,
    [](rosia::application& app) {
      auto from = app.create<counting>("from");
      auto to = app.create<adding>("to");
      from[&counting::out] >>= rosia::maxwait(0ms) >>= to[&adding::in];
    },
    100ms);
}

} // namespace application_max_waits_test
