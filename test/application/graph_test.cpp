// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The graph: errors that are refused before the start, and their texts.

#include "support.hpp"

#include <exception>
#include <stdexcept>

namespace graph_test {

using rosia::graph_error;

namespace {

struct two_ports : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};
  rosia::reaction on_in{this, "on_in", {in}, [this] { out(in); }};
};

struct eager_relay : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};
  rosia::reaction on_in{this, "on_in", {in}, [this] { out(in); }, rosia::eager};
};

struct text_sink : rosia::node {
  rosia::input_port<std::string> text{this, "text"};
};

struct many_ports : rosia::node {
  rosia::input_port<int> a{this, "left_wheel"};
  rosia::input_port<int> b{this, "right_wheel"};
  rosia::input_port<int> c{this, "gyro"};
  rosia::input_port<int> d{this, "camera"};
  rosia::input_port<int> e{this, "lidar"};
  rosia::input_port<int> f{this, "battery"};
  rosia::input_port<int> g{this, "bumper"};
  rosia::input_port<int> h{this, "joystick"};
  rosia::input_port<int> i{this, "clock"};
};

// An application whose nodes record whether they were started.
struct fixture {
  test_system sys;
  rosia::application app{sys, fast()};

  std::string run_error() {
    return error_of<graph_error>([this] { app.run(); });
  }
};

} // namespace

// -- names --------------------------------------------------------------------

TEST_CASE("2.1 a node's name is used once", "[graph]") {
  fixture f;
  f.app.create<two_ports>("plant");
  CHECK(error_of<graph_error>([&] { f.app.create<two_ports>("plant"); })
        == "there are two nodes with the name 'plant'; give one of them "
           "another name");
  CHECK(f.app.size() == 1);
}

TEST_CASE("a node's name is not empty and has no dot", "[graph]") {
  fixture f;
  for (std::string name : {"", "a.b", "."})
    CHECK(error_of<graph_error>([&] { f.app.create<two_ports>(name); })
          == "'" + name
               + "' is no name for a node: names are not empty, and have no "
                 "dots, because 'node.port' names a port");
  CHECK(f.app.size() == 0);
}

TEST_CASE("any other name is valid", "[graph]") {
  fixture f;
  for (std::string name : {"a b", "plant/1", "größe", "\"", "🤖"})
    CHECK(f.app.create<two_ports>(name).name() == name);
  CHECK(f.app.run() == 0);
}

TEST_CASE("2.1 names are UTF-8 without control characters", "[graph]") {
  struct named_port : rosia::node {
    explicit named_port(std::string name) : in{this, std::move(name)} {
      // nop
    }
    rosia::input_port<int> in;
  };
  struct named_output : rosia::node {
    explicit named_output(std::string name) : out{this, std::move(name)} {
      // nop
    }
    rosia::output_port<int> out;
  };
  struct named_state : rosia::node {
    explicit named_state(std::string name) : count{this, std::move(name)} {
      // nop
    }
    rosia::state<int> count;
  };
  struct named_action : rosia::node {
    explicit named_action(std::string name) : next{this, std::move(name)} {
      // nop
    }
    rosia::action<int> next;
  };
  struct named_physical_action : rosia::node {
    explicit named_physical_action(std::string name)
      : key{this, std::move(name)} {
      // nop
    }
    rosia::physical_action<int> key;
  };
  struct named_startup : rosia::node {
    explicit named_startup(std::string name)
      : first{this, std::move(name), [] {}} {
      // nop
    }
    rosia::startup first;
  };
  struct named_reaction : rosia::node {
    explicit named_reaction(std::string name)
      : on_in{this, std::move(name), {in}, [] {}} {
      // nop
    }
    rosia::input_port<int> in{this, "in"};
    rosia::reaction on_in;
  };
  fixture f;
  auto refused = [](auto create, const std::string& kind) {
    for (auto& [name, shown] : std::vector<std::pair<std::string, std::string>>{
           {"Ger\xe4t", "Ger\\xe4t"},
           {std::string{"a\0b", 3}, "a\\x00b"},
           {"line\n", "line\\x0a"},
           {"\x7f", "\\x7f"},
           {"\xc2\x9b", "\\xc2\\x9b"},
           {"\xed\xa0\x80", "\\xed\\xa0\\x80"},
           {"half\xe2\x82", "half\\xe2\\x82"}}) {
      auto& bad = name;
      CHECK(error_of<graph_error>([&] { create(bad); })
            == kind + " name '" + shown
                 + "': a name must be UTF-8, without control characters");
    }
  };
  auto& app = f.app;
  refused([&](auto& x) { app.create<two_ports>(x); }, "invalid node");
  refused([&](auto& x) { app.create<named_port>("plant", x); },
          "node 'plant': invalid input");
  refused([&](auto& x) { app.create<named_output>("plant", x); },
          "node 'plant': invalid output");
  refused([&](auto& x) { app.create<named_state>("plant", x); },
          "node 'plant': invalid state");
  refused([&](auto& x) { app.create<named_action>("plant", x); },
          "node 'plant': invalid action");
  refused([&](auto& x) { app.create<named_physical_action>("plant", x); },
          "node 'plant': invalid physical action");
  refused([&](auto& x) { app.create<named_startup>("plant", x); },
          "node 'plant': invalid reaction");
  refused([&](auto& x) { app.create<named_reaction>("plant", x); },
          "node 'plant': invalid reaction");
  CHECK(f.app.size() == 0);
}

TEST_CASE("a port's name is not empty and has no dot", "[graph]") {
  struct bad : rosia::node {
    explicit bad(std::string name) : in{this, std::move(name)} {
      // nop
    }
    rosia::input_port<int> in;
  };
  fixture f;
  for (std::string name : {"", "a.b"})
    CHECK(error_of<graph_error>([&] { f.app.create<bad>("plant", name); })
          == "node 'plant': input '" + name
               + "' has a bad name: names are not empty, and have no dots, "
                 "because 'node.port' names a port");
}

TEST_CASE("two inputs of a node have two names", "[graph]") {
  struct bad : rosia::node {
    rosia::input_port<int> x{this, "speed"};
    rosia::input_port<int> y{this, "speed"};
  };
  fixture f;
  CHECK(error_of<graph_error>([&] { f.app.create<bad>("plant"); })
        == "node 'plant': a node has input 'speed' twice; give one of the two "
           "another name");
}

TEST_CASE("two outputs of a node have two names", "[graph]") {
  struct bad : rosia::node {
    rosia::output_port<int> x{this, "speed"};
    rosia::output_port<double> y{this, "speed"};
  };
  fixture f;
  CHECK(error_of<graph_error>([&] { f.app.create<bad>("plant"); })
        == "node 'plant': a node has output 'speed' twice; give one of the two "
           "another name");
}

TEST_CASE("a physical action of a node has another name than its inputs",
          "[graph]") {
  struct bad : rosia::node {
    rosia::input_port<int> x{this, "speed"};
    rosia::physical_action<int> y{this, "speed"};
  };
  fixture f;
  CHECK(error_of<graph_error>([&] { f.app.create<bad>("plant"); })
        == "node 'plant': a node has physical action 'speed' twice; give one "
           "of the two another name");
}

TEST_CASE("two reactions of a node have two names, startups included",
          "[graph]") {
  struct bad : rosia::node {
    rosia::input_port<int> in{this, "in"};
    rosia::reaction x{this, "step", {in}, [] {}};
    rosia::startup y{this, "step", [] {}};
  };
  fixture f;
  CHECK(error_of<graph_error>([&] { f.app.create<bad>("plant"); })
        == "node 'plant': a node has reaction 'step' twice; give one of the "
           "two another name");
}

TEST_CASE("an input and an output may have the same name", "[graph]") {
  struct both : rosia::node {
    rosia::input_port<int> in{this, "x"};
    rosia::output_port<int> out{this, "x"};
    rosia::reaction step{this, "x", {in}, [this] { out(*in + 1); }};
  };
  fixture f;
  f.app.create<source<int>>("from", one_seven);
  f.app.create<both>("both");
  auto to = f.app.create<recorder<int>>("to");
  f.app.connect("from.out", "both.x");
  f.app.connect("both.x", "to.in");
  CHECK(f.app.run() == 0);
  CHECK(to->got == record<int>{{0s, 8}});
}

TEST_CASE("2.1 start() and shutdown() of a node are optional", "[graph]") {
  struct plain : rosia::node {
    explicit plain(std::vector<std::string>& x) : calls(x) {
      // nop
    }
    std::vector<std::string>& calls;
  };
  struct starts : plain {
    using plain::plain;
    void start() {
      calls.push_back("start of " + name());
    }
  };
  struct stops : plain {
    using plain::plain;
    void shutdown() {
      calls.push_back("shutdown of " + name());
    }
  };
  struct both : starts {
    using starts::starts;
    void shutdown() {
      calls.push_back("shutdown of " + name());
    }
  };
  test_system sys{1};
  std::vector<std::string> calls;
  rosia::application app{sys, fast()};
  app.create<plain>("neither", calls);
  app.create<starts>("first", calls);
  app.create<stops>("last", calls);
  app.create<both>("both", calls);
  CHECK(app.run() == 0);
  std::sort(calls.begin(), calls.end());
  CHECK(calls
        == std::vector<std::string>{"shutdown of both", "shutdown of last",
                                    "start of both", "start of first"});
}

// -- ports by name ------------------------------------------------------------

TEST_CASE("an unknown node is refused, with the closest name", "[graph]") {
  fixture f;
  f.app.create<two_ports>("plant");
  f.app.create<two_ports>("controller");
  f.app.connect("plant.out", "contoller.in");
  CHECK(f.run_error()
        == "there is no node 'contoller' for the port 'contoller.in'; did you "
           "mean 'controller'?");
}

TEST_CASE(
  "an unknown node that resembles none is refused, with the few existing names",
  "[graph]") {
  fixture f;
  f.app.create<two_ports>("plant");
  f.app.create<two_ports>("controller");
  f.app.connect("plant.out", "x.in");
  CHECK(f.run_error()
        == "there is no node 'x' for the port 'x.in'; there is 'controller' "
           "and 'plant'");
}

TEST_CASE("an unknown node among many is refused, with the closest name",
          "[graph]") {
  fixture f;
  for (int i = 0; i < 20; ++i)
    f.app.create<two_ports>("plant" + std::to_string(i));
  f.app.create<two_ports>("controller");
  f.app.connect("plant1.out", "Contoller.in");
  CHECK(f.run_error()
        == "there is no node 'Contoller' for the port 'Contoller.in'; did you "
           "mean 'controller'?");
}

TEST_CASE("an unknown node that resembles none is refused without a guess",
          "[graph]") {
  fixture f;
  for (int i = 0; i < 20; ++i)
    f.app.create<two_ports>("plant" + std::to_string(i));
  f.app.connect("x.out", "plant1.in");
  CHECK(f.run_error() == "there is no node 'x' for the port 'x.out'");
}

TEST_CASE("an unknown output is refused, with the existing ones", "[graph]") {
  fixture f;
  f.app.create<two_ports>("plant");
  f.app.connect("plant.speed", "plant.in");
  CHECK(f.run_error()
        == "there is no output 'plant.speed'; there is 'out' (connections lead "
           "from an output to an input)");
}

TEST_CASE("2.4 an unknown port is refused, with the closest name", "[graph]") {
  fixture f;
  f.app.create<two_ports>("plant");
  f.app.connect("plant.ot", "plant.in");
  CHECK(f.run_error()
        == "there is no output 'plant.ot'; did you mean 'out'? (connections "
           "lead from an output to an input)");
}

TEST_CASE("an unknown input among many is refused, with the closest name",
          "[graph]") {
  fixture f;
  f.app.create<two_ports>("plant");
  f.app.create<many_ports>("board");
  f.app.connect("plant.out", "board.left-weel");
  CHECK(f.run_error()
        == "there is no input 'board.left-weel'; did you mean 'left_wheel'? "
           "(connections lead from an output to an input)");
}

TEST_CASE("an unknown input is refused with the closest channel", "[graph]") {
  struct channels : rosia::node {
    rosia::input_ports<int> even{this, "even", 8};
    rosia::input_ports<int> odd{this, "odd", 8};
  };
  fixture f;
  f.app.create<two_ports>("plant");
  f.app.create<channels>("board");
  f.app.connect("plant.out", "board.evn");
  CHECK(f.run_error()
        == "there is no input 'board.evn'; did you mean 'even'? (connections "
           "lead from an output to an input)");
  fixture other;
  other.app.create<two_ports>("plant");
  other.app.create<channels>("board");
  other.app.connect("plant.out", "board.wheels");
  CHECK(other.run_error()
        == "there is no input 'board.wheels'; there is 'even' and 'odd' "
           "(connections lead from an output to an input)");
}

TEST_CASE("a connection in the wrong direction is refused", "[graph]") {
  fixture f;
  f.app.create<text_sink>("printer");
  f.app.create<two_ports>("plant");
  f.app.connect("printer.text", "plant.out");
  CHECK(
    f.run_error()
    == "'printer.text' is an input, not an output; application::connect takes "
       "an output first, then an input");
}

TEST_CASE("a connection from an output to an output is refused", "[graph]") {
  fixture f;
  f.app.create<two_ports>("plant");
  f.app.connect("plant.out", "plant.out");
  CHECK(f.run_error()
        == "'plant.out' is an output, not an input; application::connect takes "
           "an output first, then an input");
}

TEST_CASE("a member that is not a port is refused", "[graph]") {
  fixture f;
  f.app.create<two_ports>("plant");
  f.app.connect("plant", "plant.in");
  CHECK(f.run_error() == "'plant' is no port: write 'node.port'");
}

TEST_CASE("2.2 ports of different types are refused with both types",
          "[graph]") {
  fixture f;
  f.app.create<two_ports>("plant");
  f.app.create<text_sink>("printer");
  f.app.connect("plant.out", "printer.text");
  CHECK(f.run_error()
        == "output 'plant.out' of type int is connected to input "
           "'printer.text' of type std::string; both have to be the same, put "
           "a node between them that converts");
}

TEST_CASE("names may refer to nodes that are created later", "[graph]") {
  fixture f;
  f.app.connect("from.out", "to.in");
  f.app.create<source<int>>("from", one_seven);
  auto to = f.app.create<recorder<int>>("to");
  CHECK(f.app.run() == 0);
  CHECK(to->got == record<int>{{0s, 7}});
}

// -- connections --------------------------------------------------------------

TEST_CASE("two ports are connected once, in either notation", "[graph]") {
  fixture f;
  auto from = f.app.create<two_ports>("plant");
  auto to = f.app.create<eager_relay>("controller");
  auto first = GENERATE(0, 1, 2);
  if (first == 0)
    f.app.connect(from, &two_ports::out, to, &eager_relay::in, 5ms);
  else if (first == 1)
    f.app.connect("plant.out", "controller.in");
  else
    f.app.connect("plant.out", "controller.in", rosia::physical);
  f.app.connect(from, &two_ports::out, to, &eager_relay::in);
  CHECK(f.run_error()
        == "'plant.out' and 'controller.in' are connected twice; remove one of "
           "the connections");
}

TEST_CASE("a negative delay is refused", "[graph]") {
  fixture f;
  auto from = f.app.create<two_ports>("plant");
  auto to = f.app.create<two_ports>("controller");
  f.app.connect(from, &two_ports::out, to, &two_ports::in, rosia::after(-5ms));
  CHECK(f.run_error()
        == "the connection from 'plant.out' to 'controller.in' has a negative "
           "delay, -5ms; a message cannot arrive before it is sent");
}

TEST_CASE("nodes of another application are refused", "[graph]") {
  fixture f;
  rosia::application other{f.sys, fast()};
  auto here = f.app.create<two_ports>("here");
  auto there = other.create<two_ports>("there");
  auto expected
    = "node 'there' is another application's; nodes of another application "
      "cannot be connected, but a physical action hands values over";
  CHECK(error_of<graph_error>([&] {
          f.app.connect(here, &two_ports::out, there, &two_ports::in);
        })
        == expected);
  CHECK(error_of<graph_error>([&] {
          f.app.connect(
            there, &two_ports::out, here, &two_ports::in, rosia::physical);
        })
        == expected);
}

TEST_CASE("unconnected ports are valid", "[graph]") {
  fixture f;
  f.app.create<source<int>>("source", one_seven);
  f.app.create<two_ports>("idle");
  CHECK(f.app.run() == 0);
}

// -- loops of zero delay ------------------------------------------------------

TEST_CASE("a loop of zero delay is refused with its connections", "[graph]") {
  fixture f;
  auto a = f.app.create<two_ports>("a");
  auto b = f.app.create<two_ports>("b");
  auto c = f.app.create<two_ports>("c");
  auto before = f.app.create<two_ports>("before");
  auto behind = f.app.create<two_ports>("behind");
  f.app.connect(before, &two_ports::out, a, &two_ports::in);
  f.app.connect(a, &two_ports::out, b, &two_ports::in);
  f.app.connect(b, &two_ports::out, c, &two_ports::in);
  f.app.connect(c, &two_ports::out, a, &two_ports::in);
  f.app.connect(c, &two_ports::out, behind, &two_ports::in);
  CHECK(
    f.run_error()
    == "a loop of zero delay: 'a.on_in' writes 'a.out', which 'b.on_in' "
       "reads; 'b.on_in' writes 'b.out', which 'c.on_in' reads; 'c.on_in' "
       "writes 'c.out', which 'a.on_in' reads; say what 'a.on_in', "
       "'b.on_in', 'c.on_in' read and write (rosia::reads, rosia::writes), "
       "make one of the reactions 'b.on_in', 'c.on_in', 'a.on_in' eager "
       "(rosia::eager), or give one of the connections a delay "
       "(rosia::after(...))");
}

TEST_CASE("a node that is connected to itself without delay is refused",
          "[graph]") {
  fixture f;
  auto a = f.app.create<two_ports>("a");
  f.app.connect(a, &two_ports::out, a, &two_ports::in);
  CHECK_THAT(f.run_error(),
             ContainsSubstring("a loop of zero delay: 'a.on_in' writes "
                               "'a.out', which 'a.on_in' reads;"));
}

TEST_CASE(
  "a delay, a physical connection or an eager reaction makes a loop valid",
  "[graph]") {
  test_system sys;
  rosia::application app{sys, fast_until(10ms)};
  auto a = app.create<two_ports>("a");
  auto b = app.create<two_ports>("b");
  app.connect(a, &two_ports::out, b, &two_ports::in);
  SECTION("a delay") {
    app.connect(b, &two_ports::out, a, &two_ports::in, 1ns);
  }
  SECTION("a microstep") {
    app.connect(b, &two_ports::out, a, &two_ports::in,
                rosia::after(rosia::microsteps(1)));
  }
  SECTION("a duration of zero, which is a microstep") {
    app.connect(b, &two_ports::out, a, &two_ports::in, 0s);
  }
  SECTION("a physical connection") {
    app.connect(b, &two_ports::out, a, &two_ports::in, rosia::physical);
  }
  SECTION("an eager reaction") {
    auto c = app.create<eager_relay>("c");
    app.connect(b, &two_ports::out, c, &eager_relay::in);
    app.connect(c, &eager_relay::out, a, &two_ports::in);
  }
  CHECK(app.run() == 0);
}

TEST_CASE("nodes without reactions close no loop of zero delay", "[graph]") {
  struct plain : rosia::node {
    rosia::input_port<int> in{this, "in"};
    rosia::output_port<int> out{this, "out"};
    rosia::task start() {
      for (auto i = 1; i < 3; ++i) {
        out(i);
        co_await rosia::after(10ms);
        seen.push_back(in.has_value() ? *in : 0);
      }
    }
    std::vector<int> seen;
  };
  test_system sys;
  rosia::application app{sys, fast()};
  auto a = app.create<plain>("a");
  auto b = app.create<plain>("b");
  app.connect(a, &plain::out, b, &plain::in);
  app.connect(b, &plain::out, a, &plain::in);
  CHECK(app.run() == 0);
  CHECK(a->seen == std::vector{1, 2});
  CHECK(b->seen == std::vector{1, 2});
}

TEST_CASE("a loop of zero delay over an input without triggered reactions is "
          "refused if a reaction can read it, with suitable advice",
          "[graph]") {
  struct reader : rosia::node {
    rosia::input_port<int> in{this, "in"};
    rosia::input_port<int> tick{this, "tick"};
    rosia::output_port<int> out{this, "out"};
    rosia::reaction on_tick{this, "on_tick", {tick}, [this] { out(*in); }};
  };
  fixture f;
  auto a = f.app.create<reader>("a");
  f.app.connect(a, &reader::out, a, &reader::in);
  CHECK(f.run_error()
        == "a loop of zero delay: 'a.on_tick' writes 'a.out', which "
           "'a.on_tick' reads; say what 'a.on_tick' reads and writes "
           "(rosia::reads, rosia::writes), or give one of the connections a "
           "delay (rosia::after(...))");
}

TEST_CASE("an eager reaction helps only the loops that it is on", "[graph]") {
  fixture f;
  auto a = f.app.create<two_ports>("a");
  auto b = f.app.create<two_ports>("b");
  auto c = f.app.create<eager_relay>("c");
  f.app.connect(a, &two_ports::out, b, &two_ports::in);
  f.app.connect(b, &two_ports::out, c, &eager_relay::in);
  f.app.connect(c, &eager_relay::out, a, &two_ports::in);
  f.app.connect(b, &two_ports::out, a, &two_ports::in);
  CHECK_THAT(
    f.run_error(),
    ContainsSubstring("'a.on_in' writes 'a.out', which 'b.on_in' reads; "
                      "'b.on_in' writes 'b.out', which 'a.on_in' reads;"));
}

TEST_CASE("an eager reaction has no effect outside of loops", "[graph]") {
  fixture f;
  auto a = f.app.create<source<int>>("a", one_seven);
  auto b = f.app.create<eager_relay>("b");
  auto c = f.app.create<recorder<int>>("c");
  f.app.connect(a, &source<int>::out, b, &eager_relay::in);
  f.app.connect(b, &eager_relay::out, c, &recorder<int>::in);
  CHECK(f.app.run() == 0);
  CHECK(c->got == record<int>{{0s, 7}});
}

// -- reactions ----------------------------------------------------------------

TEST_CASE("a reaction without triggers is refused", "[graph]") {
  struct bad : rosia::node {
    rosia::reaction step{this, "step", {}, [] {}};
  };
  fixture f;
  CHECK(error_of<graph_error>([&] { f.app.create<bad>("plant"); })
        == "node 'plant': reaction 'step' has no triggers, and would never "
           "run; name an input port or an action, or use start()");
}

TEST_CASE("a reaction with another node's input as a trigger is refused",
          "[graph]") {
  struct bad : rosia::node {
    explicit bad(two_ports& other) : step{this, "step", {other.in}, [] {}} {
      // nop
    }
    rosia::reaction step;
  };
  fixture f;
  auto other = f.app.create<two_ports>("other");
  CHECK(error_of<graph_error>([&] { f.app.create<bad>("plant", *other); })
        == "node 'plant': reaction 'step' has the input 'other.in' of another "
           "node as a trigger; connect that node's output to an input of this "
           "node instead");
}

TEST_CASE("a reaction that names a trigger twice is refused", "[graph]") {
  struct bad : rosia::node {
    rosia::input_port<int> in{this, "in"};
    rosia::reaction step{this, "step", {in, in}, [] {}};
  };
  fixture f;
  CHECK(error_of<graph_error>([&] { f.app.create<bad>("plant"); })
        == "node 'plant': reaction 'step' names its trigger 'in' twice; once "
           "is enough");
}

// -- timers -------------------------------------------------------------------

TEST_CASE("the period of a timer is positive", "[graph][timer]") {
  fixture f;
  CHECK(error_of<graph_error>([&] { f.app.create<rosia::timer>("t", -5ms); })
        == "node 't': the period of a timer is -5ms; it has to be positive");
  CHECK(error_of<graph_error>([&] { f.app.create<rosia::timer>("t", 0s); })
        == "node 't': the period of a timer is 0s; it has to be positive");
}

TEST_CASE("the offset of a timer is not negative", "[graph][timer]") {
  fixture f;
  CHECK(
    error_of<graph_error>([&] { f.app.create<rosia::timer>("t", 1s, -1ns); })
    == "node 't': the offset of a timer is -1ns; it must not be negative");
}

// -- before, during and after -------------------------------------------------

TEST_CASE(
  "nothing starts while the graph is refused, and the graph can be corrected",
  "[graph]") {
  fixture f;
  auto started = 0;
  auto from = f.app.create<script>("from", [&](script& self) {
    ++started;
    self.out(1);
  });
  f.app.connect("from.out", "to.in");
  CHECK_THAT(f.run_error(), ContainsSubstring("there is no node 'to'"));
  CHECK(started == 0);
  CHECK(from->shutdowns == 0);
  auto to = f.app.create<recorder<int>>("to");
  CHECK(f.app.run() == 0);
  CHECK(started == 1);
  CHECK(to->got == record<int>{{0s, 1}});
}

TEST_CASE("an application runs once", "[graph]") {
  fixture f;
  f.app.create<two_ports>("plant");
  CHECK(f.app.run() == 0);
  CHECK(error_of<std::logic_error>([&] { f.app.run(); })
        == "an application runs once; create a new one");
}

TEST_CASE("a graph does not grow after its run", "[graph]") {
  fixture f;
  auto a = f.app.create<two_ports>("a");
  auto b = f.app.create<two_ports>("b");
  CHECK(f.app.run() == 0);
  auto expected = ContainsSubstring("a graph is built before it runs");
  CHECK_THAT(error_of<std::logic_error>([&] { f.app.create<two_ports>("c"); }),
             expected && ContainsSubstring("'c'"));
  CHECK_THAT(error_of<std::logic_error>([&] {
               f.app.connect(a, &two_ports::out, b, &two_ports::in);
             }),
             expected);
  CHECK_THAT(
    error_of<std::logic_error>([&] { f.app.connect("a.out", "b.in"); }),
    expected && ContainsSubstring("'a.out'"));
  CHECK_THAT(error_of<std::logic_error>([&] {
               f.app.connect("a.out", "b.in", rosia::physical);
             }),
             expected);
  CHECK(f.app.size() == 2);
}

TEST_CASE(
  "an exception out of a node's constructor is passed on, with the node's name",
  "[graph]") {
  struct bad : rosia::node {
    explicit bad(bool is_known) {
      if (is_known)
        throw std::out_of_range("no such device");
      throw 42;
    }
  };
  fixture f;
  try {
    f.app.create<bad>("x", true);
    FAIL("nothing is thrown");
  } catch (const std::runtime_error& e) {
    CHECK(std::string{e.what()}
          == "node 'x': its constructor threw an exception: no such "
             "device");
    CHECK_THROWS_AS(std::rethrow_if_nested(e), std::out_of_range);
  }
  CHECK_THROWS_WITH(
    f.app.create<bad>("x", false),
    "node 'x': its constructor threw an exception: an exception that is "
    "not derived from std::exception");
  CHECK(f.app.size() == 0);
  CHECK(f.app.run() == 0);
}

TEST_CASE("an application that never runs is destroyed", "[graph]") {
  auto shutdowns = 0;
  {
    fixture f;
    f.app.create<script>("a", [&](script&) { ++shutdowns; });
    f.app.connect("a.out", "nowhere");
  }
  CHECK(shutdowns == 0);
}

} // namespace graph_test
