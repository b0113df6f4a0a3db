// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The parts of a node: the order of its members, ports in arrays, triggers from
// ranges, several pieces of code at the start; and how they are connected and
// printed.

#include "support.hpp"

#include <caf/event_based_actor.hpp>

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <sstream>

namespace members_test {

namespace {

using rosia::graph_error;

template <class Port>
std::vector<std::unique_ptr<Port>> several(
  rosia::node* self, const std::string& name, int n) {
  std::vector<std::unique_ptr<Port>> result;
  for (int i = 0; i < n; ++i)
    result.push_back(std::make_unique<Port>(self, name + std::to_string(i)));
  return result;
}

struct fixture {
  explicit fixture(rosia::options opts = fast()) : app{sys, std::move(opts)} {
    // nop
  }

  test_system sys;
  rosia::application app;
};

/// Returns the log of an application of one node.
template <class T>
std::string log_of(rosia::options opts = with_log(fast(), "warning")) {
  error_capture capture;
  {
    fixture f{std::move(opts)};
    f.app.create<T>("x");
    f.app.run();
  }
  return capture.text();
}

} // namespace

// -- printing -----------------------------------------------------------------

namespace {

/// A node that prints its values.
template <class T>
struct probe : rosia::node {
  rosia::input_port<T> in{this, "in"};
  rosia::reaction on_in{
    this, "on_in", {in}, [this] { log().info("{}: {}", now(), *in); }};
};

template <class T>
std::string streamed(const T& x) {
  std::ostringstream out;
  out << x;
  return out.str();
}

} // namespace

TEST_CASE("tags, delays and enumerations are printed as their text",
          "[members][format]") {
  CHECK(fmt::format("{}|{:>6}|{}", at(1500ms, 2), at(5ms), rosia::forever)
        == "1.5s+2|   5ms|forever");
  CHECK(fmt::format("{}, {}", rosia::after(5ms), rosia::microsteps(2))
        == "5ms, 2 microsteps");
  CHECK(fmt::format("{} {} {} {}", rosia::node_stage::answered,
                    rosia::application_stage::running, rosia::blocker::clock,
                    rosia::signal_behavior::ignore)
        == to_string(rosia::node_stage::answered) + ' '
             + to_string(rosia::application_stage::running) + ' '
             + to_string(rosia::blocker::clock) + " ignore");
  CHECK(fmt::format("{} {}", rosia::part_report::kind::guard,
                    rosia::part_report::state::draining)
        == to_string(rosia::part_report::kind::guard) + ' '
             + to_string(rosia::part_report::state::draining));
  CHECK(streamed(at(20ms, 3)) == "20ms+3");
  CHECK(streamed(rosia::delay{0s}) == "1 microstep");
  CHECK(streamed(rosia::part_report::state::ended)
        == to_string(rosia::part_report::state::ended));
  CHECK(streamed(sent<logical_time>{5ms, at(1s)}) == "1s at 5ms");
}

TEST_CASE("a node logs tags without further code", "[members][format]") {
  rosia::test::harness<probe<logical_time>> h;
  h.set(&probe<logical_time>::in, 10ms, at(3ms));
  h.run();
  CHECK(h.log() == std::vector<std::string>{"info: 10ms: 3ms"});
}

// -- the order of members -----------------------------------------------------

namespace {

struct reaction_first : rosia::node {
  rosia::reaction on_in{this, "on_in", {in}, [this] { log().info("{}", *in); }};
  rosia::input_port<int> in{this, "in"};
};

struct reaction_between : rosia::node {
  rosia::input_port<int> first{this, "first"};
  rosia::reaction on_any{this, "on_any", {first, ports}, [] {}};
  std::array<rosia::input_port<int>, 2> ports{{{this, "p0"}, {this, "p1"}}};
};

} // namespace

TEST_CASE("a reaction that is declared before its port is refused",
          "[members]") {
  fixture f;
  CHECK(error_of<graph_error>([&] { f.app.create<reaction_first>("print"); })
        == "node 'print': reaction 'on_in' has the input 'in' as a trigger, "
           "which comes after it; declare port 'in' before reaction 'on_in': "
           "members are made in the order of their declaration");
  CHECK_THAT(
    error_of<graph_error>([&] { f.app.create<reaction_between>("x"); }),
    ContainsSubstring("declare port 'p0' before reaction 'on_any'"));
  CHECK_THAT(
    error_of<graph_error>([] { rosia::test::harness<reaction_first> h; }),
    ContainsSubstring("declare port 'in' before reaction 'on_in'"));
  CHECK(f.app.size() == 0);
}

TEST_CASE("a trigger that is not a port of the node is refused", "[members]") {
  struct bad : rosia::node {
    explicit bad(std::optional<rosia::input_port<int>>& x)
      : step{this, "step", {x}, [] {}} {
      // nop
    }
    rosia::reaction step;
  };
  struct other : rosia::node {
    std::optional<rosia::input_port<int>> in{std::in_place, this, "in"};
  };
  fixture f;
  std::optional<rosia::input_port<int>> nothing;
  CHECK(error_of<graph_error>([&] { f.app.create<bad>("x", nothing); })
        == "node 'x': reaction 'step' has an empty pointer among its triggers");
  other alone; // not in the application, so its name is unknown
  CHECK(error_of<graph_error>([&] { f.app.create<bad>("x", alone.in); })
        == "node 'x': reaction 'step' has a port that is not an input of its "
           "node as a trigger; connect that node's output to an input of this "
           "node instead");
}

// -- triggers from ranges -----------------------------------------------------

namespace {

/// Each reaction counts how often it ran.
struct many_ranges : rosia::node {
  using port = rosia::input_port<int>;

  std::vector<std::unique_ptr<port>> unique = several<port>(this, "u", 3);
  std::array<port, 2> array{{{this, "a0"}, {this, "a1"}}};
  port plain[2] = {{this, "c0"}, {this, "c1"}};
  port one{this, "one"};
  std::vector<port*> pointers{&array[0], &one};
  std::vector<std::reference_wrapper<rosia::input_port_base>> references{
    one, array[1]};

  rosia::reaction on_unique{this, "unique", unique, [this] { ++runs[0]; }};
  rosia::reaction on_array{this, "array", array, [this] { ++runs[1]; }};
  rosia::reaction on_plain{this, "plain", plain, [this] { ++runs[2]; }};
  rosia::reaction on_pointers{
    this, "pointers", pointers, [this] { ++runs[3]; }, rosia::eager};
  rosia::reaction on_references{
    this, "references", references, [this] { ++runs[4]; }};
  rosia::reaction on_view{
    this, "view", std::span{unique}.first(1), [this] { ++runs[5]; }};
  rosia::reaction on_list{
    this, "list", {one, unique, plain}, [this] { ++runs[6]; }};

  std::array<int, 7> runs{};
};

struct empty_range : rosia::node {
  std::vector<std::unique_ptr<rosia::input_port<int>>> ports;
  rosia::reaction on_any{this, "on_any", ports, [] {}};
};

} // namespace

TEST_CASE("ranges of ports are triggers", "[members]") {
  using port = rosia::input_port<int>;
  auto runs_for = [](auto&& set) {
    rosia::test::harness<many_ranges> h;
    set(h);
    h.run();
    CHECK(h.error() == std::nullopt);
    return h->runs;
  };
  CHECK(runs_for([](auto& h) { h.set(&many_ranges::one, 1ms, 1); })
        == std::array{0, 0, 0, 1, 1, 0, 1});
  // The harness supports only pointers to members, so the rest uses
  // connections.
  fixture f;
  auto from = f.app.create<source<int>>("from", one_seven);
  auto to = f.app.create<many_ranges>("to");
  SECTION("an array") {
    f.app.connect(from[&source<int>::out], to[&many_ranges::array][1]);
    CHECK(f.app.run() == 0);
    CHECK(to->runs == std::array{0, 1, 0, 0, 1, 0, 0});
  }
  SECTION("a built-in array") {
    f.app.connect(from[&source<int>::out], to[&many_ranges::plain][0]);
    CHECK(f.app.run() == 0);
    CHECK(to->runs == std::array{0, 0, 1, 0, 0, 0, 1});
  }
  SECTION("a vector of pointers") {
    f.app.connect(from[&source<int>::out], to[&many_ranges::unique][0]);
    CHECK(f.app.run() == 0);
    CHECK(to->runs == std::array{1, 0, 0, 0, 0, 1, 1});
  }
  static_assert(std::is_same_v<port, many_ranges::port>);
}

TEST_CASE("an empty range of triggers is refused", "[members]") {
  fixture f;
  CHECK(error_of<graph_error>([&] { f.app.create<empty_range>("x"); })
        == "node 'x': reaction 'on_any' has no triggers: the range of its "
           "triggers is empty; fill it where it is declared, before the "
           "reaction");
}

// -- references to ports ------------------------------------------------------

namespace {

struct splitter : rosia::node {
  std::array<rosia::output_port<int>, 3> outs{
    {{this, "o0"}, {this, "o1"}, {this, "o2"}}};

  void start() {
    for (auto i = 0; i < 3; ++i)
      outs[static_cast<std::size_t>(i)](i);
  }
};

struct outside : rosia::node {
  std::array<rosia::physical_action<int>, 2> ins{{{this, "i0"}, {this, "i1"}}};

  rosia::reaction on_any{
    this, "on_any", ins, [this] {
      got.push_back(*ins[1]);
      request_shutdown();
    }};

  std::vector<int> got;
};

} // namespace

TEST_CASE("ports are connected by an operator", "[members]") {
  fixture f;
  auto from = f.app.create<source<int>>("from", one_seven);
  auto a = f.app.create<recorder<int>>("a");
  auto b = f.app.create<recorder<int>>("b");
  auto c = f.app.create<recorder<int>>("c");
  from[&source<int>::out] >>= a[&recorder<int>::in];
  from[&source<int>::out] >>= rosia::after(5ms) >>= b[&recorder<int>::in];
  from[&source<int>::out] >>= rosia::physical >>= c[&recorder<int>::in];
  CHECK(f.app.run() == 0);
  CHECK(a->got == record<int>{{0s, 7}});
  CHECK(b->got == record<int>{{5ms, 7}});
  REQUIRE(c->got.size() == 1);
  CHECK(c->got[0].tag > at(0s));
}

TEST_CASE("ports of arrays are connected by their index", "[members]") {
  fixture f;
  auto from = f.app.create<splitter>("from");
  auto a = f.app.create<recorder<int>>("a");
  auto b = f.app.create<recorder<int>>("b");
  from[&splitter::outs][2] >>= a[&recorder<int>::in];
  f.app.connect(
    from[&splitter::outs][1], b[&recorder<int>::in], rosia::after(1ms));
  CHECK(error_of<graph_error>([&] {
          from[&splitter::outs][3] >>= b[&recorder<int>::in];
        })
        == "node 'from': there is no port 3 in an array of 3; they are counted "
           "from 0");
  CHECK(f.app.run() == 0);
  CHECK(a->got == record<int>{{0s, 2}});
  CHECK(b->got == record<int>{{1ms, 1}});
}

TEST_CASE("a port of a different application is refused", "[members]") {
  fixture f;
  rosia::application other{f.sys, fast()};
  auto here = f.app.create<splitter>("here");
  auto there = other.create<recorder<int>>("there");
  auto expected = ContainsSubstring("node 'there' is another application's");
  CHECK_THAT(error_of<graph_error>([&] {
               here[&splitter::outs][0] >>= there[&recorder<int>::in];
             }),
             expected);
}

TEST_CASE("a physical action of an array is scheduled", "[members]") {
  fixture f{real_time()};
  auto to = f.app.create<outside>("to");
  CHECK(to->ins[1].schedule(5));
  CHECK(f.app.run() == 0);
  CHECK(to->got == std::vector<int>{5});
}

TEST_CASE("an output of an array is connected to an actor", "[members]") {
  std::promise<int> done;
  fixture f;
  // CAF's overload for a function without arguments has undefined behavior.
  auto receiver = f.sys.get().spawn(
    [](caf::event_based_actor*, std::promise<int>* result) -> caf::behavior {
      return {[result](logical_time, int x) { result->set_value(x); }};
    },
    &done);
  auto from = f.app.create<splitter>("from");
  f.app.connect(from[&splitter::outs][1], receiver);
  CHECK(f.app.run() == 0);
  CHECK(done.get_future().get() == 1);
  caf::anon_send_exit(receiver, caf::exit_reason::user_shutdown);
}

// -- unconnected ports --------------------------------------------------------

namespace {

struct listener : rosia::node {
  rosia::input_port<int> a{this, "a"};
  rosia::input_port<int> b{this, "b"};
  rosia::input_port<int> c{this, "c"};
  rosia::reaction on_ab{this, "on_ab", {a, b}, [] {}};
};

struct content : rosia::node {
  rosia::input_port<int> optional{this, "optional", rosia::optional_input};
  rosia::physical_action<int> physical{this, "physical"};
  rosia::input_port<int> plain{this, "plain"};
  rosia::input_port<int> only_read{this, "only_read"};
  rosia::startup first{this, "first", [] {}};
  rosia::reaction on_optional{this, "on_optional", {optional, plain}, [] {}};
  rosia::reaction on_physical{this, "on_physical", {plain, physical}, [] {}};

  void start() {
    request_shutdown();
  }
};

} // namespace

TEST_CASE("a warning names a reaction without connected triggers",
          "[members]") {
  auto log = log_of<listener>();
  CHECK_THAT(
    log, ContainsSubstring(
           "reaction 'on_ab' of node 'x' never runs: nothing is connected to "
           "its triggers 'a', 'b'; call application::connect, or declare what "
           "may stay unconnected with rosia::optional_input"));
  CHECK(count_of(log, "never runs") == 1);
  auto silent = with_log(fast(), "warning");
  silent.warn_unconnected = false;
  CHECK(log_of<listener>(silent) == "");
}

TEST_CASE("10.7.1 a warning names a reaction whose triggers belong to other "
          "modes",
          "[members]") {
  struct machine : rosia::node {
    rosia::mode idle{this, "idle"};
    rosia::mode busy{this, "busy"};
    rosia::tick slow{idle, "slow", 1s};
    rosia::tick fast{busy, "fast", 1ms};
    rosia::tick always{this, "always", 1s};
    rosia::reaction on_fast{idle, "on_fast", {fast}, [] {}};
    rosia::reaction on_slow{idle, "on_slow", {slow, fast}, [] {}};
    rosia::reaction on_always{busy, "on_always", {slow, always}, [] {}};
    rosia::reaction on_any{this, "on_any", {slow, fast}, [] {}};

    void start() {
      request_shutdown();
    }
  };
  auto log = log_of<machine>();
  CHECK_THAT(
    log, ContainsSubstring(
           "reaction 'on_fast' of node 'x' never runs: its triggers belong to "
           "other modes; declare both in one mode"));
  CHECK(count_of(log, "never runs") == 1);
}

TEST_CASE(
  "for a reaction with a connected trigger, the log names the unconnected ones",
  "[members]") {
  auto run = [](rosia::options opts) {
    error_capture capture;
    {
      fixture f{std::move(opts)};
      auto from = f.app.create<source<int>>("from", one_seven);
      auto to = f.app.create<listener>("to");
      from[&source<int>::out] >>= to[&listener::b];
      CHECK(f.app.run() == 0);
    }
    return capture.text();
  };
  // With one connected trigger, there is no warning.
  CHECK(run(with_log(fast(), "warning")) == "");
  auto opts = with_log(fast(), "info");
  CHECK_THAT(
    run(opts),
    ContainsSubstring(
      "reaction 'on_ab' of node 'to' runs without its trigger 'a': nothing is "
      "connected there; call application::connect, or declare what may stay "
      "unconnected with rosia::optional_input"));
  opts.warn_unconnected = false;
  CHECK(run(opts) == "");
}

TEST_CASE(
  "ports with other inputs, or that may stay unconnected, cause no warning",
  "[members]") {
  CHECK(log_of<content>() == "");
}

// -- the start ----------------------------------------------------------------

namespace {

struct base_with_startup : rosia::node {
  rosia::output_port<int> early{this, "early"};
  rosia::startup in_base{
    this, "in_base", [this]() -> rosia::task {
      order += "b";
      early(1);
      co_await rosia::after(2ms);
      early(2);
    }};
  std::string order;
};

struct several_startups : base_with_startup {
  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> late{this, "late"};
  rosia::reaction on_in{this, "on_in", {in}, [this] { order += "r"; }};
  rosia::startup again{this, "again", [this]() -> rosia::task {
                         order += "a";
                         late(10);
                         co_await rosia::after(2ms);
                         order += "A";
                         late(20);
                       }};

  void start() {
    order += "s";
  }
};

struct fails_at_start : rosia::node {
  rosia::startup bad{
    this, "bad", [] { throw std::runtime_error("no such device"); }};
  rosia::startup next{this, "next", [this] { reached = true; }};
  bool reached = false;
};

/// Its members have the names of functions that the library calls.
struct named_like_functions : rosia::node {
  rosia::tick start{this, "start", rosia::once};
  rosia::output_port<int> shutdown{this, "shutdown"};
  rosia::reaction resumed{this, "resumed", {start}, [this] { shutdown(1); }};
};

struct hidden_base : rosia::node {
  rosia::output_port<int> out{this, "out"};
  void start() {
    out(1);
  }
};

struct hiding : hidden_base {
  void start() {}
};

struct inheriting : hidden_base {
  rosia::output_port<int> other{this, "other"};
};

struct virtual_base : rosia::node {
  rosia::output_port<int> out{this, "out"};
  virtual void start() {
    out(1);
  }
};

struct replacing : virtual_base {
  void start() override {
    virtual_base::start();
  }
};

} // namespace

TEST_CASE("startups run after start(), in the order of declaration",
          "[members]") {
  rosia::test::harness<several_startups> h;
  h.set(&several_startups::in, 0s, 1);
  h.run();
  CHECK(h->order == "sbarA");
  CHECK(h.outputs(&several_startups::early) == record<int>{{0s, 1}, {2ms, 2}});
  CHECK(h.outputs(&several_startups::late) == record<int>{{0s, 10}, {2ms, 20}});
  CHECK(h.ended());
}

TEST_CASE("a startup's error has its name", "[members]") {
  rosia::test::harness<fails_at_start> h;
  h.run();
  REQUIRE(h.error());
  CHECK(h.error()->reaction == "bad");
  CHECK(h.error()->text == "no such device");
  CHECK_FALSE(h->reached);
}

TEST_CASE("members may be called start, shutdown and resumed", "[members]") {
  rosia::test::harness<named_like_functions> h;
  h.run();
  CHECK(h.outputs(&named_like_functions::shutdown) == record<int>{{0s, 1}});
  CHECK(h.ended());
}

TEST_CASE("a hidden start() of a base causes a warning", "[members]") {
  CHECK_THAT(
    log_of<hiding>(),
    ContainsSubstring("node 'x': start() of '")
      && ContainsSubstring("hidden_base' is hidden by start() of '")
      && ContainsSubstring(
        "hiding', and runs only if that one calls it; make it a "
        "rosia::startup of '")
      && ContainsSubstring("or virtual if it is meant to be replaced"));
  rosia::test::harness<hiding> h;
  REQUIRE(h.log().size() == 1);
  CHECK_THAT(h.log()[0], ContainsSubstring("is hidden by start()"));
}

TEST_CASE("an inherited or virtual start() causes no warning", "[members]") {
  CHECK(log_of<inheriting>() == "");
  CHECK(log_of<replacing>() == "");
  CHECK(log_of<several_startups>().find("hidden") == std::string::npos);
}

} // namespace members_test
