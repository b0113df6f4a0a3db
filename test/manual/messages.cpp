// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Makes the mistakes whose messages the manual quotes, and prints each message:
// "== key", followed by the message.

#include "caf/rosia/all.hpp"

#include <caf/send.hpp>

#include <iostream>
#include <stdexcept>
#include <string>

namespace rosia = caf::rosia;
using namespace std::chrono_literals;

// Their names are printed.
struct device : rosia::node {
  rosia::output_port<int> light{this, "light"};

  void start() {
    light(1);
  }
};

struct lamp : device {
  void start() {
    light(2);
  }
};

namespace {

// -- nodes --------------------------------------------------------------------

struct greeter : rosia::node {
  rosia::output_port<std::string> output{this, "output"};
};

struct printer : rosia::node {
  rosia::input_port<std::string> word{this, "word"};
};

struct relay : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};
  rosia::reaction on_in{this, "on_in", {in}, [this] { out(*in); }};
};

struct without_triggers : rosia::node {
  rosia::reaction on_nothing{this, "on_nothing", {}, [] {}};
};

struct reaction_first : rosia::node {
  rosia::reaction on_word{this, "on_word", {word}, [] {}};
  rosia::input_port<std::string> word{this, "word"};
};

struct silent_printer : rosia::node {
  rosia::input_port<std::string> word{this, "word"};
  rosia::reaction on_word{this, "on_word", {word}, [] {}};
};

struct car : rosia::node {
  rosia::input_port<double> force{this, "force"};
  rosia::output_port<double> speed{this, "speed"};
  rosia::reaction on_force{this, "on_force", {force}, [] {}};
};

struct controller : rosia::node {
  rosia::input_port<double> speed{this, "speed"};
  rosia::output_port<double> force{this, "force"};
  rosia::reaction on_speed{this, "on_speed", {speed}, [] {}};
};

struct ends_its_actor : rosia::node {
  rosia::physical_action<int> keeps_it_alive{this, "keeps_it_alive"};

  void start() {
    caf::anon_send_exit(self(), caf::exit_reason::kill);
  }
};

struct writes_twice : rosia::node {
  rosia::output_port<std::string> output{this, "output"};

  void start() {
    output("hello");
    output("world");
  }
};

struct breaks_promise : rosia::node {
  rosia::output_port<int> output{this, "output"};

  rosia::task start() {
    output(1, rosia::output_promise(10ms));
    co_await rosia::after(5ms);
    output(2);
  }
};

struct reads_undeclared : rosia::node {
  rosia::input_port<double> force{this, "force", rosia::optional_input};
  rosia::tick step{this, "step", rosia::once};
  rosia::reaction on_step{
    this, "on_step", {step}, rosia::reads(), [this] { force.has_value(); }};
};

struct names : rosia::node {
  rosia::output_port<std::string> output{this, "output"};

  rosia::task start() {
    co_await rosia::after(20ms);
    output("track.csv");
  }
};

struct reader : rosia::node {
  rosia::input_port<std::string> name{this, "name"};

  rosia::reaction on_name{
    this, "on_name", {name}, [this] {
      throw std::runtime_error("cannot open " + *name);
    }};
};

// -- mistakes -----------------------------------------------------------------

using mistake = void (*)(rosia::application&);

struct entry {
  const char* key;
  mistake make;
};

void greet_and_print(rosia::application& app) {
  app.create<greeter>("greet");
  app.create<printer>("print");
}

const entry mistakes[] = {
  {"duplicate node",
   [](rosia::application& app) {
     greet_and_print(app);
     app.create<printer>("print");
   }},
  {"unknown node",
   [](rosia::application& app) {
     greet_and_print(app);
     app.connect("greet.output", "printer.word");
   }},
  {"unknown port",
   [](rosia::application& app) {
     greet_and_print(app);
     app.connect("greet.out", "print.word");
   }},
  {"type mismatch",
   [](rosia::application& app) {
     app.create<rosia::timer>("clock", 1s);
     app.create<printer>("print");
     app.connect("clock.output", "print.word");
   }},
  {"connected twice",
   [](rosia::application& app) {
     greet_and_print(app);
     app.connect("greet.output", "print.word");
     app.connect("greet.output", "print.word", rosia::after(5ms));
   }},
  {"negative delay",
   [](rosia::application& app) {
     greet_and_print(app);
     app.connect("greet.output", "print.word", rosia::after(-5ms));
   }},
  {"zero loop",
   [](rosia::application& app) {
     app.create<relay>("left");
     app.create<relay>("right");
     app.connect("left.out", "right.in");
     app.connect("right.out", "left.in");
   }},
  {"zero loop of the car",
   [](rosia::application& app) {
     app.create<car>("car");
     app.create<controller>("control");
     app.connect("car.speed", "control.speed");
     app.connect("control.force", "car.force");
   }},
  {"no triggers",
   [](rosia::application& app) { app.create<without_triggers>("idle"); }},
  {"reaction before port",
   [](rosia::application& app) { app.create<reaction_first>("print"); }},
  {"unconnected",
   [](rosia::application& app) { app.create<silent_printer>("print"); }},
  {"hidden start", [](rosia::application& app) { app.create<lamp>("lamp"); }},
  {"written twice",
   [](rosia::application& app) { app.create<writes_twice>("greet"); }},
  {"broken promise",
   [](rosia::application& app) { app.create<breaks_promise>("early"); }},
  {"undeclared read",
   [](rosia::application& app) { app.create<reads_undeclared>("plant"); }},
  {"vanished",
   [](rosia::application& app) { app.create<ends_its_actor>("smoother"); }},
  {"exception",
   [](rosia::application& app) {
     app.create<names>("names");
     app.create<reader>("reader");
     app.connect("names.output", "reader.name");
   }},
};

int run(caf::actor_system& sys) {
  rosia::options opts;
  opts.log_level = "warning"; // without the report that follows
  opts.realtime = false;
  for (const auto& x : mistakes) {
    // To the destination of the log as well.
    std::cerr << "== " << x.key << '\n';
    try {
      rosia::application app{sys, opts};
      x.make(app);
      app.run();
    } catch (const rosia::graph_error& e) {
      std::cerr << e.what() << '\n';
    }
  }
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  return rosia::exec_main(argc, argv, run);
}
