// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// A walking machine has six legs. A leg is a composite: a part of the graph
// that is made of nodes, here a controller and a motor in a loop, and is used
// six times.
//
//                                  leg[i]
//                +-------------------------------------------+
//   gait.angles -+-> angle --> control --> motor --> reached -+-> gait.reached
//                |               ^           |               |
//                |               +- after 1ms +              |
//                +-------------------------------------------+

#include <chrono>
#include <cstddef>
#include <cstdio>

#include "caf/rosia/all.hpp"

namespace rosia = caf::rosia;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t legs = 6;

// Moves toward an angle, at most by `speed` each millisecond.
struct controller : rosia::node {
  explicit controller(int speed) : speed_{speed} {
    // nop
  }

  rosia::input_port<int> wanted{this, "wanted"};
  rosia::input_port<int> measured{this, "measured"};
  rosia::output_port<int> step{this, "step"};

  rosia::reaction on_any{
    this, "on_any", {wanted, measured}, [this] {
      auto rest = *wanted - (measured.has_value() ? *measured : 0);
      if (rest != 0)
        step(rest > speed_ ? speed_ : rest < -speed_ ? -speed_ : rest);
    }};

private:
  int speed_;
};

struct motor : rosia::node {
  rosia::input_port<int> step{this, "step"};
  rosia::output_port<int> angle{this, "angle"};
  rosia::state<int> now_at{this, "now_at", 0};

  rosia::reaction on_step{
    this, "on_step", {step}, [this] {
      now_at = *now_at + *step;
      angle(*now_at);
    }};
};

struct leg : rosia::composite {
  explicit leg(int speed) : control{this, "control", speed} {
    angle >>= control[&controller::wanted];
    control[&controller::step] >>= drive[&motor::step];
    drive[&motor::angle] >>= rosia::after(1ms)
      >>= control[&controller::measured];
    drive[&motor::angle] >>= reached;
  }

  rosia::inlet<int> angle{this, "angle"};
  rosia::outlet<int> reached{this, "reached"};
  rosia::part<controller> control;
  rosia::part<motor> drive{this, "drive"};
};

// Lifts three legs every 20 ms, and lowers the other three.
struct gait : rosia::node {
  rosia::tick step{this, "step", 20ms};
  rosia::output_ports<int> angles{this, "angles", legs};
  rosia::input_ports<int> reached{this, "reached", legs};
  rosia::state<int> steps{this, "steps", 0};

  rosia::reaction on_step{
    this, "on_step", {step}, [this] {
      for (std::size_t i = 0; i < angles.size(); ++i)
        angles[i]((static_cast<std::size_t>(*steps) + i) % 2 == 0 ? 30 : -30);
      steps = *steps + 1;
    }};

  rosia::reaction on_reached{
    this, "on_reached", reached, [this] {
      for (auto [index, angle] : reached.present())
        if (*angle == 30)
          std::printf("leg %zu is up at %s\n", index, to_string(now()).c_str());
    }};
};

int run(caf::actor_system& sys) {
  auto options = rosia::options_from(sys.config());
  if (!options.stop_after)
    options.stop_after = rosia::logical_time{} + rosia::after(39ms);
  rosia::application app{sys, options};
  auto walk = app.create<gait>("gait");
  auto all = app.create_bank<leg>(
    "leg", legs, rosia::each([](std::size_t i) { return i < 2 ? 6 : 5; }));
  walk[&gait::angles] >>= rosia::after(1ms) >>= all[&leg::angle];
  all[&leg::reached] >>= walk[&gait::reached];
  return app.run();
}

} // namespace

int main(int argc, char** argv) {
  return rosia::exec_main(argc, argv, run);
}
