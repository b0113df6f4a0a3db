// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// A pump with two modes. In the mode `normal` it pumps every 15 ms. When its
// sensor reports a failure, it enters the mode `failed`, and probes its valve
// three times. Then it continues where it was: time stands still for a mode
// that is not active.
//
//   sensor --> pump --> display

#include <cstdio>
#include <string>

#include "caf/rosia/all.hpp"

namespace rosia = caf::rosia;
using namespace std::chrono_literals;

namespace {

// Fails 40 ms and 80 ms after the start.
struct sensor : rosia::node, rosia::stateless<sensor> {
  rosia::output_port<bool> ok{this, "ok"};
  rosia::tick measure{this, "measure", 10ms};

  rosia::reaction on_measure{
    this, "on_measure", {measure}, [this] {
      ok(now().ns != 40'000'000 && now().ns != 80'000'000);
    }};
};

struct pump : rosia::node {
  rosia::input_port<bool> ok{this, "ok"};
  rosia::output_port<std::string> does{this, "does"};

  rosia::mode normal{this, "normal"}; // active at the start
  rosia::mode failed{this, "failed"};

  rosia::tick stroke{normal, "stroke", 15ms};
  rosia::tick probe{failed, "probe", 5ms, 5ms};
  rosia::state<int> probes{failed, "probes", 0}; // 0 after each failure

  rosia::reaction on_stroke{
    normal, "on_stroke", {stroke}, [this] { does("pumps"); }};

  rosia::reaction on_ok{normal, "on_ok", {ok}, [this] {
                          if (!*ok)
                            failed.enter();
                        }};

  rosia::reaction on_probe{
    failed, "on_probe", {probe}, [this] {
      does("probe " + std::to_string(++*probes));
      if (*probes == 3)
        normal.enter(rosia::history);
    }};
};

struct display : rosia::node, rosia::stateless<display> {
  rosia::input_port<std::string> text{this, "text"};

  rosia::reaction on_text{
    this, "on_text", {text}, [this] {
      std::printf("%s: %s\n", to_string(now()).c_str(), text->c_str());
    }};
};

int run(caf::actor_system& sys) {
  auto options = rosia::options_from(sys.config());
  if (!options.stop_after)
    options.stop_after = rosia::logical_time{} + rosia::after(120ms);
  rosia::application app{sys, options};
  auto eye = app.create<sensor>("sensor");
  auto heart = app.create<pump>("pump");
  auto screen = app.create<display>("display");
  eye[&sensor::ok] >>= heart[&pump::ok];
  heart[&pump::does] >>= screen[&display::text];
  return app.run();
}

} // namespace

int main(int argc, char** argv) {
  return rosia::exec_main(argc, argv, run);
}
