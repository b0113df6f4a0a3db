// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Banks, and connections of several ports: section 10.2 of the semantics.

#include "support.hpp"

#include "temporary_folder.hpp"

#include <array>
#include <fstream>
#include <sstream>

namespace banks_test {

using rosia::graph_error;

namespace {

/// A node with a port, a channel and an array in each direction. Sends a number
/// by each output, and stores what arrives.
struct member : rosia::node {
  explicit member(std::size_t number = 0, std::size_t width = 2)
    : to{this, "to", width}, from{this, "from", width}, id{number} {
    // nop
  }

  rosia::output_port<int> out{this, "out"};
  rosia::output_ports<int> to;
  std::array<rosia::output_port<int>, 2> outs{{{this, "o0"}, {this, "o1"}}};
  rosia::input_port<int> in{this, "in", rosia::optional_input};
  rosia::input_ports<int> from;
  std::array<rosia::input_port<int>, 2> ins{{{this, "i0"}, {this, "i1"}}};

  void start() {
    auto next = static_cast<int>(10 * id);
    out(next);
    for (auto& x : to)
      x(++next);
  }

  rosia::reaction on_in{this, "on_in", {in}, [this] {
                          for (auto& x : in.all())
                            got.emplace_back(now(), x);
                        }};

  rosia::reaction on_from{
    this, "on_from", from, [this] {
      for (auto [index, port] : from.present())
        got.emplace_back(now(), 100 * static_cast<int>(index) + *port);
    }};

  std::size_t id;
  record<int> got;
};

/// An application, and the connections that it declares.
struct fixture {
  explicit fixture(rosia::options opts = fast()) : app{sys, std::move(opts)} {
    // nop
  }

  std::vector<std::string> connections() {
    std::vector<std::string> result;
    auto graph = app.diagram();
    for (auto& x : graph.connections)
      result.push_back(graph.output_of(x) + " " + graph.input_of(x));
    return result;
  }

  test_system sys;
  rosia::application app;
};

using lines = std::vector<std::string>;

} // namespace

// -- banks --------------------------------------------------------------------

TEST_CASE("10.2.2 the nodes of a bank have indices, and arguments that depend "
          "on them",
          "[banks]") {
  struct worker : rosia::node {
    worker(std::string x, std::size_t i, int y, std::vector<int>& z)
      : text{std::move(x)}, index{i}, number{y} {
      z.push_back(y);
    }
    std::string text;
    std::size_t index;
    int number;
  };
  fixture f;
  std::vector<int> table{7, 5, 3};
  std::vector<int> log;
  auto workers = f.app.create_bank<worker>(
    "w", 3, "some text", rosia::bank_index,
    rosia::each([&](std::size_t i) { return table[i]; }), log);
  REQUIRE(workers.size() == 3);
  CHECK(log == table);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(workers[i].name() == "w[" + std::to_string(i) + "]");
    CHECK(workers[i]->text == "some text");
    CHECK(workers[i]->index == i);
    CHECK(workers[i]->number == table[i]);
  }
  CHECK(f.app.create_bank<worker>("none", 0, "", 0u, 1, log).size() == 0);
}

TEST_CASE("10.2.2 a bank has a name of its own", "[banks]") {
  fixture f;
  f.app.create_bank<member>("w", 2);
  auto error_with = [&](const std::string& name) {
    return error_of<graph_error>([&] { f.app.create_bank<member>(name, 1); });
  };
  CHECK(
    error_with("w")
    == "there is a bank with the name 'w'; give one of the two another name");
  CHECK_THAT(error_with("a.b"), ContainsSubstring("have no dots"));
  CHECK_THAT(error_of<graph_error>([&] { f.app.create<member>("w[1]"); }),
             ContainsSubstring("two nodes with the name 'w[1]'"));
}

// -- connections --------------------------------------------------------------

TEST_CASE("10.2.3 ports are connected one to one, node by node", "[banks]") {
  fixture f;
  auto w = f.app.create_bank<member>("w", 2);
  auto a = f.app.create<member>("a", 0, 4);
  w[&member::to] >>= a[&member::from];
  a[&member::outs] >>= rosia::after(1ms) >>= w[&member::in];
  CHECK(f.connections()
        == lines{"w[0].to[0] a.from[0]", "w[0].to[1] a.from[1]",
                 "w[1].to[0] a.from[2]", "w[1].to[1] a.from[3]", "a.o0 w[0].in",
                 "a.o1 w[1].in"});
}

TEST_CASE("10.2.3 interleaved ports are taken channel by channel", "[banks]") {
  fixture f;
  auto w = f.app.create_bank<member>("w", 2);
  w[&member::to] >>= rosia::physical >>= rosia::interleaved(w[&member::from]);
  CHECK(f.connections()
        == lines{"w[0].to[0] w[0].from[0]", "w[0].to[1] w[1].from[0]",
                 "w[1].to[0] w[0].from[1]", "w[1].to[1] w[1].from[1]"});
}

TEST_CASE("10.2.3 ports() combines ports, and broadcast() repeats outputs",
          "[banks]") {
  fixture f;
  auto w = f.app.create_bank<member>("w", 2);
  auto v = f.app.create_bank<member>("v", 2);
  auto a = f.app.create<member>("a", 0, 3);
  rosia::ports(w[0][&member::out], rosia::interleaved(w[&member::outs]),
               rosia::interleaved(v[&member::outs]))
    >>= rosia::physical >>= rosia::ports(
      a[&member::from], v[&member::in], a[&member::ins], w[&member::in]);
  rosia::broadcast(a[&member::outs]) >>= rosia::after(1ms)
    >>= rosia::ports(v[&member::from]);
  rosia::broadcast(v[1][&member::out]) >>= rosia::after(1ms)
    >>= v[0][&member::in];
  CHECK(
    f.connections()
    == lines{
      "w[0].out a.from[0]", "w[0].o0 a.from[1]", "w[1].o0 a.from[2]",
      "w[0].o1 v[0].in", "w[1].o1 v[1].in", "v[0].o0 a.i0", "v[1].o0 a.i1",
      "v[0].o1 w[0].in", "v[1].o1 w[1].in", "a.o0 v[0].from[0]",
      "a.o1 v[0].from[1]", "a.o0 v[1].from[0]", "a.o1 v[1].from[1]",
      "v[1].out v[0].in"});
}

TEST_CASE("10.2.3 banks and channels are connected by name", "[banks]") {
  fixture f;
  f.app.create_bank<member>("w", 2);
  f.app.create<member>("a", 0, 4);
  f.app.create_bank<member>("none", 0);
  f.app.create<member>("narrow", 0, 0);
  f.app.connect("w[*].to", "a.from");
  f.app.connect("w[1].out", "a.in");
  f.app.connect("none[*].out", "narrow.from");
  CHECK(
    f.connections()
    == lines{"w[0].to[0] a.from[0]", "w[0].to[1] a.from[1]",
             "w[1].to[0] a.from[2]", "w[1].to[1] a.from[3]", "w[1].out a.in"});
  f.app.connect("v[*].out", "a.in");
  CHECK_THAT(error_of<graph_error>([&] { f.connections(); }),
             ContainsSubstring("there is no node 'v[*]'"));
}

TEST_CASE("10.2.4 different numbers of ports are refused with both numbers",
          "[banks]") {
  fixture f;
  auto w = f.app.create_bank<member>("w", 3);
  auto v = f.app.create_bank<member>(
    "v", 2, 0u, rosia::each([](std::size_t i) { return i + 1; }));
  auto a = f.app.create<member>("a", 0, 4);
  auto none = f.app.create_bank<member>("none", 0);
  auto error_with = [](auto from, auto to) {
    return error_of<graph_error>([&] { from >>= to; });
  };
  std::string same
    = ": both sides of a connection have the same number; "
      "rosia::broadcast() repeats outputs";
  std::string equally
    = ": rosia::broadcast() repeats all of its outputs equally often";
  CHECK(error_with(a[&member::to], w[&member::from])
        == "'a.to' has 4 channels, 'w[*].from' has 6 channels (3 nodes of 2)"
             + same);
  CHECK(error_with(w[&member::out], a[&member::in])
        == "'w[*].out' has 3 channels, 'a.in' has 1 channel" + same);
  CHECK(error_with(none[&member::out], a[&member::in])
        == "an empty bank has no channels, 'a.in' has 1 channel" + same);
  CHECK(
    error_with(rosia::ports(a[&member::out], w[&member::to]), v[&member::from])
    == "'a.out', 'w[*].to' have 7 channels, 'v[*].from' has 3 channels" + same);
  CHECK(error_with(rosia::broadcast(a[&member::to]), w[&member::from])
        == "'a.to' has 4 channels, 'w[*].from' has 6 channels (3 nodes of 2)"
             + equally);
  CHECK(error_with(rosia::broadcast(none[&member::to]), a[&member::in])
        == "an empty bank has no channels, 'a.in' has 1 channel" + equally);
  CHECK(
    error_with(rosia::interleaved(v[&member::to]), w[&member::in])
    == "interleaved nodes have the same number of channels, but 'v[0].to[0]' "
       "has 1, and 'v[1].to' has 2");
  CHECK(error_with(w[0][&member::to][2], a[&member::in])
        == "node 'w[0]': there is no port 2 in an array of 2; they are counted "
           "from 0");
  f.app.connect("w[*].out", "a.from");
  CHECK(error_of<graph_error>([&] { f.app.run(); })
        == "'w[*].out' has 3 channels, 'a.from' has 4 channels" + same);
}

// -- runs ---------------------------------------------------------------------

TEST_CASE("10.2.1 channels are present over all executors and groups",
          "[banks]") {
  for (auto groups : {"auto", "off", "all"}) {
    auto opts = fast();
    opts.groups = groups;
    fixture f{opts};
    auto w = f.app.create_bank<member>("w", 3, rosia::bank_index);
    auto a = f.app.create<member>("a", 0, 6);
    w[&member::to] >>= rosia::after(1ms) >>= a[&member::from];
    REQUIRE(f.app.run() == 0);
    CHECK(
      a->got
      == record<int>{
        {1ms, 1}, {1ms, 102}, {1ms, 211}, {1ms, 312}, {1ms, 421}, {1ms, 522}});
  }
}

TEST_CASE("10.2.1 nothing warns of a channel without ports", "[banks]") {
  error_capture capture;
  fixture f{with_log(fast(), "warning")};
  f.app.create<member>("a", 0, 0);
  CHECK(f.app.run() == 0);
  CHECK(capture.text() == "");
}

TEST_CASE("10.2.3 banks are in traces, checkpoints, recordings and replays",
          "[banks]") {
  ::test::temporary_folder folder;
  auto run = [&](auto set) {
    auto opts = fast_until(20ms);
    opts.trace = folder.file("trace");
    set(opts);
    fixture f{opts};
    auto clock = f.app.create<rosia::timer>("clock", 4ms);
    struct worker : rosia::node, rosia::stateless<worker> {
      rosia::input_port<logical_time> tick{this, "tick"};
      rosia::output_port<logical_time> out{this, "out"};
      rosia::reaction on_tick{this, "on_tick", {tick}, [this] { out(tick); }};
    };
    struct sink : rosia::node {
      rosia::input_ports<logical_time> in{this, "in", 3};
      rosia::state<int> sum{this, "sum"};
      rosia::reaction on_in{this, "on_in", in, [this] {
                              for (auto [index, port] : in.present())
                                sum = *sum + static_cast<int>(index + 1);
                            }};
    };
    auto w = f.app.create_bank<worker>("w", 3);
    auto to = f.app.create<sink>("sink");
    rosia::broadcast(clock[&rosia::timer::output]) >>= w[&worker::tick];
    w[&worker::out] >>= to[&sink::in];
    REQUIRE(f.app.run() == 0);
    return *to->sum;
  };
  auto all = 6 * 6;
  auto save = [&](rosia::options& x) {
    x.checkpoint.file = folder.file("checkpoints");
    x.checkpoint.every = 10ms;
    x.record.file = folder.file("recording");
  };
  CHECK(run(save) == all);
  std::ostringstream trace;
  trace << std::ifstream{folder.file("trace")}.rdbuf();
  CHECK_THAT(trace.str(), ContainsSubstring("\"w[2]\""));
  CHECK_THAT(trace.str(), ContainsSubstring("\"in[2]\""));
  CHECK(run([&](auto& x) {
          x.resume.file = folder.file("checkpoints");
          x.resume.at = at(10ms);
        })
        == all);
  CHECK(run([&](auto& x) { x.replay = folder.file("recording"); }) == all);
}

} // namespace banks_test
