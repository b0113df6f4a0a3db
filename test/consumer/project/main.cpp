// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// A project that uses the installed library: one include, two nodes, a main().
// It checks its output.

#include "caf/rosia/all.hpp"

#include <chrono>
#include <iostream>
#include <string>
#include <vector>

namespace rosia = caf::rosia;
using namespace std::chrono_literals;

namespace {

struct counter : rosia::node {
  rosia::input_port<rosia::logical_time> tick{this, "tick"};
  rosia::output_port<int> output{this, "output"};
  rosia::reaction on_tick{this, "on_tick", {tick}, [this] { output(count++); }};

  int count = 0;
};

struct printer : rosia::node {
  rosia::input_port<int> value{this, "value"};
  rosia::reaction on_value{
    this, "on_value", {value}, [this] {
      lines.push_back(std::to_string(*value) + " at " + to_string(now()));
      std::cout << lines.back() << '\n';
    }};
  void shutdown() {
    lines.push_back("bye");
  }

  std::vector<std::string> lines;
};

int run(caf::actor_system& sys) {
  rosia::options opts;
  opts.realtime = false;
  opts.stop_after = rosia::logical_time{200'000'000, 0};
  rosia::application app{sys, opts};
  auto clock = app.create<rosia::timer>("clock", 100ms);
  auto count = app.create<counter>("count");
  auto print = app.create<printer>("print");
  app.connect(clock, &rosia::timer::output, count, &counter::tick);
  app.connect(count, &counter::output, print, &printer::value);
  if (auto status = app.run(); status != 0)
    return status;
  const std::vector<std::string> expected{
    "0 at 0s", "1 at 100ms", "2 at 200ms", "bye"};
  if (print->lines != expected) {
    std::cerr << "The printer's lines are not what they should be\n";
    return 2;
  }
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  return rosia::exec_main(argc, argv, run);
}
