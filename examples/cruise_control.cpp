// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// A loop of nodes without delay: a car and its cruise control.
//
//   car --(speed)--> control
//    ^                 |
//    +----(force)------+
//
// None of the connections has a delay. At each step, the car measures its
// speed, the control answers, and the car takes the force, all at the same tag.
// That is possible because no reaction depends on itself: the reaction that
// takes the force declares that it writes nothing.

#include <chrono>
#include <cstdio>

#include "caf/rosia/all.hpp"

namespace rosia = caf::rosia;
using namespace std::chrono_literals;

namespace {

constexpr auto period = 100ms;

constexpr auto steps = 5;

struct car : rosia::node {
  rosia::input_port<double> force{this, "force"};
  rosia::output_port<double> speed{this, "speed"};
  rosia::action<void> step{this, "step"};

  void start() {
    step.schedule(period);
  }

  // Runs first, because it is declared first.
  rosia::reaction on_step{
    this, "on_step", {step}, rosia::writes(speed), [this] {
      velocity += acceleration * 0.1;
      std::printf("%s: speed %4.2f", to_string(now()).c_str(), velocity);
      speed(velocity);
      if (++done < steps)
        step.schedule(period);
    }};

  // Runs at the same tag, after the control.
  rosia::reaction on_force{
    this, "on_force", {force}, rosia::writes(), [this] {
      acceleration = *force;
      std::printf(", force %4.2f at %s\n", *force, to_string(now()).c_str());
    }};

  double velocity = 0;
  double acceleration = 0;
  int done = 0;
};

struct control : rosia::node {
  rosia::input_port<double> speed{this, "speed"};
  rosia::output_port<double> force{this, "force"};

  rosia::reaction on_speed{
    this, "on_speed", {speed}, [this] { force(5 * (10 - *speed)); }};
};

int run(caf::actor_system& sys) {
  rosia::application app{sys};
  auto plant = app.create<car>("car");
  auto controller = app.create<control>("control");
  plant[&car::speed] >>= controller[&control::speed];
  controller[&control::force] >>= plant[&car::force];
  return app.run();
}

} // namespace

int main(int argc, char** argv) {
  return rosia::exec_main(argc, argv, run);
}
