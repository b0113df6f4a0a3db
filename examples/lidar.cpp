// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// A vehicle that follows another one, and a lidar whose scans may be late.
//
//   lidar --(maxwait 40 ms)--> planner --> motor
//
// The planner chooses a speed every 100 ms. It waits at most 40 ms for the scan
// of the same time. Without the scan it drives more slowly, because it does not
// know the exact distance. The scan arrives later and is tardy, see
// planner::on_scan. Record a run (--rosia.record.file=run.db) and repeat it
// (--rosia.replay=run.db): the same scans are tardy, on any machine.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <thread>

#include "caf/rosia/all.hpp"

namespace rosia = caf::rosia;
using namespace std::chrono_literals;

namespace {

constexpr auto closing_speed = 4.0; // meters a second

double seconds(std::int64_t ns) {
  return static_cast<double>(ns) / 1e9;
}

struct lidar : rosia::node, rosia::stateless<lidar> {
  rosia::tick turn{this, "turn", 100ms};
  rosia::output_port<double> distance{this, "distance"}; // meters

  static bool is_hard_to_compute(rosia::logical_time x) {
    return x.ns / 100'000'000 % 4 == 3;
  }

  rosia::reaction on_turn{
    this, "on_turn", {turn}, [this] {
      if (is_hard_to_compute(now()))
        std::this_thread::sleep_for(160ms);
      distance(20 - closing_speed * seconds(now().ns));
    }};
};

struct planner : rosia::node {
  rosia::input_port<double> scan{this, "scan"};
  rosia::output_port<double> speed{this, "speed"}; // meters a second
  rosia::tick step{this, "step", 100ms};
  rosia::state<double> distance{this, "distance"};

  // A tardy scan has the distance of an earlier time.
  rosia::reaction on_scan{
    this, "on_scan", {scan}, [this] {
      auto age = seconds(now().ns - scan.intended().ns);
      distance = *scan - closing_speed * age;
      if (scan.is_tardy())
        std::printf("the scan of %s was late by %.3f s\n",
                    to_string(scan.intended()).c_str(), age);
    }};

  rosia::reaction on_step{
    this, "on_step", {step}, [this] {
      auto is_exact = scan.is_present() && !scan.is_tardy();
      speed(*distance / (is_exact ? 4 : 8));
    }};
};

struct motor : rosia::node, rosia::stateless<motor> {
  rosia::input_port<double> speed{this, "speed"};

  rosia::reaction on_speed{
    this, "on_speed", {speed}, [this] {
      std::printf("%s: %.1f m/s\n", to_string(now()).c_str(), *speed);
    }};
};

int run(caf::actor_system& sys) {
  auto options = rosia::options_from(sys.config());
  if (!options.stop_after)
    options.stop_after = rosia::logical_time{} + rosia::after(1s);
  rosia::application app{sys, options};
  auto eye = app.create<lidar>("lidar");
  auto mind = app.create<planner>("planner");
  auto drive = app.create<motor>("motor");
  eye[&lidar::distance] >>= rosia::maxwait(40ms) >>= mind[&planner::scan];
  mind[&planner::speed] >>= drive[&motor::speed];
  return app.run();
}

} // namespace

int main(int argc, char** argv) {
  return rosia::exec_main(argc, argv, run);
}
