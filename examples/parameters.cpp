// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Parameters: constants of nodes that the command line sets for a run.
//
//   sensor --> filter[0], filter[1] --> display
//
//   parameters                            the values in the code
//   parameters --set='filter[*].gain=0.9' both filters follow faster
//   parameters --set=sensor.period=5ms    twice as many samples
//   parameters --set=help                 lists the parameters

#include <chrono>
#include <cstdio>

#include "caf/rosia/all.hpp"

namespace rosia = caf::rosia;
using namespace std::chrono_literals;

namespace {

// Measures a temperature, which jumps from 20 to 30 degrees after 20 ms.
struct sensor : rosia::node {
  rosia::parameter<std::chrono::milliseconds> period{this, "period", 10ms};
  rosia::tick sample{this, "sample", *period};
  rosia::output_port<double> out{this, "out"};

  rosia::reaction on_sample{
    this, "on_sample", {sample}, [this] {
      out(now().ns < 20'000'000 ? 20. : 30.);
    }};
};

// Smooths values: the larger the gain, the faster it follows.
struct filter : rosia::node {
  explicit filter(double initial) : gain{this, "gain", initial} {
    // nop
  }

  rosia::parameter<double> gain;
  rosia::input_port<double> in{this, "in"};
  rosia::output_port<double> out{this, "out"};

  rosia::reaction on_in{this, "on_in", {in}, [this] {
                          level += gain * (*in - level);
                          out(level);
                        }};

  double level = 20;
};

struct display : rosia::node {
  rosia::input_ports<double> in{this, "in", 2};

  rosia::reaction on_in{
    this, "on_in", in, [this] {
      std::printf("%s: %.2f %.2f\n", to_string(now()).c_str(), *in[0], *in[1]);
    }};
};

int run(caf::actor_system& sys) {
  rosia::application app{sys};
  auto from = app.create<sensor>("sensor");
  auto filters = app.create_bank<filter>(
    "filter", 2, rosia::each([](auto i) { return i == 0 ? 0.5 : 0.2; }));
  auto to = app.create<display>("display");
  rosia::broadcast(from[&sensor::out]) >>= filters[&filter::in];
  filters[&filter::out] >>= to[&display::in];
  return app.run();
}

} // namespace

int main(int argc, char** argv) {
  return rosia::exec_main(argc, argv, run, [](rosia::config& cfg) {
    cfg.set("rosia.stop_after", "40ms");
  });
}
