// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// A loop: a room and the controller of its heating.
//
//   room --(temperature)--> controller
//     ^                         |
//     +--------(power)----------+
//
// A loop needs a delay, because otherwise a tag would never end. A loop of zero
// delay is refused before the application runs. There are two ways to give it a
// microstep, the smallest delay:
//
// - a reaction in it is `eager`: connections of the loop that end at the
//   reaction take one microstep;
// - a connection has a delay.
//
// Both runs print the same values.

#include <chrono>
#include <cstdio>

#include "caf/rosia/all.hpp"

namespace rosia = caf::rosia;
using namespace std::chrono_literals;

namespace {

constexpr auto period = 10ms;

constexpr auto rounds = 5;

// The common part of both rooms.
struct room : rosia::node {
  rosia::input_port<double> power{this, "power"};
  rosia::output_port<double> temperature{this, "temperature"};
  rosia::action<double> heated{this, "heated"};
  rosia::state<double> degrees{this, "degrees", 15};
  rosia::state<int> round{this, "round", 0};

  // A period later: sends the new temperature.
  rosia::reaction on_heated{
    this, "on_heated", {heated}, [this] { temperature(degrees += *heated); }};

  void start() {
    temperature(degrees);
  }

  // Heats with the last power for a period. The promise tells receivers that no
  // value follows before its end.
  void heat() {
    std::printf("  %4.1f degrees, power %3.1f at %s\n", *degrees, *power,
                to_string(now()).c_str());
    if (++round == rounds)
      return; // sends nothing more, so the loop is done
    temperature.promise(period);
    heated.schedule(period, power);
  }
};

struct eager_room : room {
  rosia::reaction on_power{
    this, "on_power", {power}, [this] { heat(); }, rosia::eager};
};

struct plain_room : room {
  rosia::reaction on_power{this, "on_power", {power}, [this] { heat(); }};
};

struct controller : rosia::node {
  rosia::input_port<double> temperature{this, "temperature"};
  rosia::output_port<double> power{this, "power"};

  // Half of the missing degrees.
  rosia::reaction on_temperature{
    this, "on_temperature", {temperature}, [this] {
      power((20 - *temperature) / 2);
    }};
};

int run_eager(caf::actor_system& sys) {
  std::printf("an eager reaction:\n");
  rosia::application app{sys};
  auto plant = app.create<eager_room>("room");
  auto control = app.create<controller>("controller");
  plant[&room::temperature] >>= control[&controller::temperature];
  control[&controller::power] >>= plant[&room::power];
  return app.run();
}

int run_with_microstep(caf::actor_system& sys) {
  std::printf("a microstep on a connection:\n");
  rosia::application app{sys};
  auto plant = app.create<plain_room>("room");
  auto control = app.create<controller>("controller");
  plant[&room::temperature] >>= control[&controller::temperature];
  control[&controller::power] >>= rosia::after(rosia::microsteps(1))
    >>= plant[&room::power];
  return app.run();
}

int run(caf::actor_system& sys) {
  if (auto status = run_eager(sys); status != 0)
    return status;
  return run_with_microstep(sys);
}

} // namespace

int main(int argc, char** argv) {
  return rosia::exec_main(argc, argv, run);
}
