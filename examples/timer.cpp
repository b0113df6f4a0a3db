// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// A timer drives a chain of nodes:
//
//   clock --> counter --> printer
//
// All three handle a tick at the same tag, no matter how long they work:
// logical time advances between tags, not while a node works.

#include <chrono>
#include <cstdio>

#include "caf/rosia/all.hpp"

namespace rosia = caf::rosia;
using namespace std::chrono_literals;

namespace {

struct counter : rosia::node {
  // The arguments after the node's name in create() are passed to the
  // constructor.
  explicit counter(int first) {
    count = first;
  }

  // A timer's values are its tags.
  rosia::input_port<rosia::logical_time> tick{this, "tick"};
  rosia::output_port<int> output{this, "output"};

  // A state keeps its value between reactions. It has a name, so that it can be
  // saved.
  rosia::state<int> count{this, "count"};

  rosia::reaction on_tick{this, "on_tick", {tick}, [this] { output(count++); }};
};

struct printer : rosia::node {
  rosia::input_port<int> value{this, "value"};

  rosia::reaction on_value{
    this, "on_value", {value}, [this] {
      std::printf("%d at %s\n", *value, to_string(now()).c_str());
    }};
};

int run(caf::actor_system& sys) {
  // The options of the command line (see --help) and the config file. A timer
  // never ends by itself, so by default the program ends at 500 ms.
  auto options = rosia::options_from(sys.config());
  if (!options.stop_after)
    options.stop_after = rosia::logical_time{} + rosia::after(500ms);
  rosia::application app{sys, options};
  auto clock = app.create<rosia::timer>("clock", 100ms); // first tick at 0
  auto count = app.create<counter>("counter", 1);
  auto print = app.create<printer>("printer");
  clock[&rosia::timer::output] >>= count[&counter::tick];
  count[&counter::output] >>= print[&printer::value];
  return app.run();
}

} // namespace

int main(int argc, char** argv) {
  return rosia::exec_main(argc, argv, run);
}
