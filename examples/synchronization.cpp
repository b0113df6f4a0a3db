// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Two pipelines of unequal length meet at the same tag:
//
//   camera --> decoder --> detector --+
//                                     +--> fusion
//   radar ----------------------------+
//
// Processing a picture of the camera takes longer than an echo of the radar.
// Still, one reaction of `fusion` always has the picture and the echo of the
// same instant, without a queue or a comparison of time stamps.

#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <thread>

#include "caf/rosia/all.hpp"

namespace rosia = caf::rosia;
using namespace std::chrono_literals;

namespace {

constexpr int measurements = 5;

// Sends a measurement every 20 ms: here, its number.
struct sensor : rosia::node {
  rosia::output_port<int> output{this, "output"};

  rosia::task start() {
    for (auto i = 1; i <= measurements; ++i) {
      co_await rosia::after(20ms);
      output(i);
    }
  }
};

// Works on a picture for some physical time. The tag does not change.
struct worker : rosia::node {
  rosia::input_port<int> input{this, "input"};
  rosia::output_port<int> output{this, "output"};

  rosia::reaction on_input{
    this, "on_input", {input}, [this] {
      std::this_thread::sleep_for(2ms);
      output(*input);
    }};
};

struct fusion : rosia::node {
  rosia::input_port<int> picture{this, "picture"};
  rosia::input_port<int> echo{this, "echo"};

  // Two triggers: the reaction runs once at a tag at which both have a value.
  rosia::reaction on_any{
    this, "on_any", {picture, echo}, [this] {
      if (!picture.is_present() || !echo.is_present())
        throw std::runtime_error("one arrived without the other");
      std::printf("picture %d and echo %d at %s\n", *picture, *echo,
                  to_string(now()).c_str());
    }};
};

int run(caf::actor_system& sys) {
  rosia::application app{sys};
  auto camera = app.create<sensor>("camera");
  auto decoder = app.create<worker>("decoder");
  auto detector = app.create<worker>("detector");
  auto radar = app.create<sensor>("radar");
  auto fuse = app.create<fusion>("fusion");
  camera[&sensor::output] >>= decoder[&worker::input];
  decoder[&worker::output] >>= detector[&worker::input];
  detector[&worker::output] >>= fuse[&fusion::picture];
  radar[&sensor::output] >>= fuse[&fusion::echo];
  return app.run();
}

} // namespace

int main(int argc, char** argv) {
  return rosia::exec_main(argc, argv, run);
}
