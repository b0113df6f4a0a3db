// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// A lamp on a motor follows a bright object, over processes and hosts:
//
//     process `vision`      |    process `motion`
//                           |
//   camera --> detector ----|--(turn)---> motor
//                 ^   |     |               |
//                 |   +-----|--(light)---> lamp
//                 |         |               |
//                 +---------|--(position)---+ motor's, 10 ms later
//
// The output is the same in one process, in three processes of one machine, and
// on several hosts. README.md in this folder has the commands.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "caf/rosia/all.hpp"

namespace rosia = caf::rosia;
using namespace std::chrono_literals;

namespace {

constexpr int width = 100; // width of a picture in pixels

// -- messages -----------------------------------------------------------------

/// One line of pixels. It can cross processes because it has a default
/// constructor and an inspect() function.
struct picture {
  int number = 0;
  std::vector<std::uint8_t> pixels;
};

template <class Inspector>
auto inspect(Inspector& f, picture& x) {
  return caf::rosia::inspect_members(f, x, x.number, x.pixels);
}

// -- process `vision` ---------------------------------------------------------

/// Generates pictures of a moving object, the same ones in each run.
struct camera : rosia::node {
  explicit camera(unsigned seed) : random_{seed} {
    // nop
  }

  rosia::output_port<picture> output{this, "output"};

  rosia::task start() {
    for (int number = 1; number <= 12; ++number) {
      output(take(number));
      co_await rosia::after(40ms);
    }
  }

private:
  picture take(int number) {
    where_ = std::clamp(where_ + below(21) - 8, 0, width - 1);
    picture result{number, {}};
    for (int i = 0; i < width; ++i)
      result.pixels.push_back(static_cast<std::uint8_t>(below(100)));
    result.pixels[static_cast<std::size_t>(where_)] = 255;
    return result;
  }

  /// Not a distribution of the standard library: their results differ between
  /// implementations.
  int below(unsigned limit) {
    return static_cast<int>(random_() % limit);
  }

  std::mt19937 random_;
  int where_ = 20;
};

struct detector : rosia::node {
  rosia::input_port<picture> image{this, "image"};
  rosia::input_port<int> position{this, "position"};
  rosia::output_port<int> turn{this, "turn"};
  rosia::output_port<bool> light{this, "light"};

  // Declared before other reactions, so that it runs first at each tag.
  rosia::reaction on_position{
    this, "on_position", {position}, [this] { position_ = *position; }};

  rosia::reaction on_image{
    this, "on_image", {image}, [this] {
      auto& pixels = image->pixels;
      auto brightest = std::max_element(pixels.begin(), pixels.end());
      auto seen = static_cast<int>(brightest - pixels.begin());
      std::printf("detector: %s: picture %d: seen at %d, motor at %d\n",
                  to_string(now()).c_str(), image->number, seen, position_);
      turn(seen - position_);
      light(std::abs(seen - position_) <= 8);
    }};

private:
  int position_ = 0;
};

// -- process `motion` ---------------------------------------------------------

/// The motor turns by at most this much per message.
struct motor : rosia::node {
  rosia::input_port<int> turn{this, "turn"};
  rosia::output_port<int> position{this, "position"};

  rosia::reaction on_turn{
    this, "on_turn", {turn}, [this] {
      position_ += std::clamp(*turn, -10, 10);
      std::printf("motor: %s: to %d\n", to_string(now()).c_str(), position_);
      position(position_);
    }};

private:
  int position_ = 0;
};

struct lamp : rosia::node {
  rosia::input_port<bool> light{this, "light"};

  rosia::reaction on_light{
    this, "on_light", {light}, [this] {
      if (*light != is_on_)
        std::printf(
          "lamp: %s: %s\n", to_string(now()).c_str(), *light ? "on" : "off");
      is_on_ = *light;
    }};

private:
  bool is_on_ = false;
};

// -- all processes ------------------------------------------------------------

// Every process declares the whole graph, but constructs only its own nodes.
int run(caf::actor_system& sys) {
  rosia::application app{sys};
  auto eye = app.create<camera>("camera", 7u);
  auto find = app.create<detector>("detector");
  auto move = app.create<motor>("motor");
  auto shine = app.create<lamp>("lamp");
  app.place(eye, "vision");
  app.place(find, "vision");
  app.place(move, "motion");
  app.place(shine, "motion");
  eye[&camera::output] >>= find[&detector::image];
  find[&detector::turn] >>= move[&motor::turn];
  find[&detector::light] >>= shine[&lamp::light];
  // Closes the loop: reading the motor's position takes a while.
  move[&motor::position] >>= rosia::after(10ms) >>= find[&detector::position];
  return app.run();
}

} // namespace

int main(int argc, char** argv) {
  // Line buffering, even when stdout is a pipe.
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  return rosia::exec_main(argc, argv, run);
}
