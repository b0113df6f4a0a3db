// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// A camera pipeline with deadlines: a late result is worse than a rough one.
//
//   camera --> detector --> tracker --> display
//
// The detector improves its result as long as there is time. If it cannot even
// begin in time, it says so, and the tracker continues with the last known
// speed.
// Some frames are so hard that the next one is late, see detector::hard. Record
// a run (--rosia.record.file=run.db) and repeat it (--rosia.replay=run.db): it
// misses the same deadlines, on any machine.

#include <chrono>
#include <cstdio>
#include <thread>

#include "caf/rosia/all.hpp"

namespace rosia = caf::rosia;
using namespace std::chrono_literals;

namespace {

struct detection {
  int frame = 0;
  bool certain = false;
  double position = 0; // meters

  template <class Inspector>
  friend auto inspect(Inspector& f, detection& x) {
    return rosia::inspect_members(f, x, x.frame, x.certain, x.position);
  }
};

// Takes 25 pictures a second of something that moves by 2.5 m from one to the
// next.
struct camera : rosia::node, rosia::stateless<camera> {
  rosia::tick shot{this, "shot", 40ms};
  rosia::output_port<int> frame{this, "frame"};

  rosia::reaction on_shot{
    this, "on_shot", {shot}, [this] {
      frame(static_cast<int>(now().ns / 40'000'000));
    }};
};

struct detector : rosia::node, rosia::stateless<detector> {
  rosia::input_port<int> frame{this, "frame"};
  rosia::output_port<detection> found{this, "found"};

  static bool hard(int number) {
    return number % 10 == 5;
  }

  // Stands for a search in the picture: whether it shows something to the left
  // of this position.
  static bool is_left_of(int number, double position) {
    std::this_thread::sleep_for(500us);
    return 2.5 * number < position;
  }

  rosia::reaction on_frame{
    this,
    "on_frame",
    {frame},
    rosia::deadline{
      20ms, [this] { found(detection{.frame = *frame, .certain = false}); }},
    [this] {
      if (hard(*frame))
        std::this_thread::sleep_for(70ms);
      auto low = 0.0;
      auto high = 128.0;
      while (high - low > 0.01 && !deadline_missed()) {
        auto middle = (low + high) / 2;
        (is_left_of(*frame, middle) ? high : low) = middle;
      }
      found(detection{*frame, high - low < 1, (low + high) / 2});
    }};
};

struct tracker : rosia::node {
  rosia::input_port<detection> found{this, "found"};
  rosia::output_port<detection> tracked{this, "tracked"};
  rosia::state<double> position{this, "position"};
  rosia::state<double> speed{this, "speed"}; // meters a frame

  rosia::reaction on_found{
    this, "on_found", {found}, [this] {
      if (found->certain)
        speed = found->position - *position;
      position = *position + *speed;
      tracked(detection{found->frame, found->certain, *position});
    }};
};

struct display : rosia::node, rosia::stateless<display> {
  rosia::input_port<detection> tracked{this, "tracked"};

  rosia::reaction on_tracked{
    this, "on_tracked", {tracked}, [this] {
      std::printf("frame %d: %.1f m%s\n", tracked->frame, tracked->position,
                  tracked->certain ? "" : ", estimated");
    }};
};

int run(caf::actor_system& sys) {
  auto options = rosia::options_from(sys.config());
  if (!options.stop_after)
    options.stop_after = rosia::logical_time{} + rosia::after(1s);
  rosia::application app{sys, options};
  auto eye = app.create<camera>("camera");
  auto mind = app.create<detector>("detector");
  auto memory = app.create<tracker>("tracker");
  auto screen = app.create<display>("display");
  eye[&camera::frame] >>= mind[&detector::frame];
  mind[&detector::found] >>= memory[&tracker::found];
  memory[&tracker::tracked] >>= screen[&display::tracked];
  return app.run();
}

} // namespace

int main(int argc, char** argv) {
  return rosia::exec_main(argc, argv, run);
}
