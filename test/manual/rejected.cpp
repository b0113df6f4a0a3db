// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Must be rejected by the compiler with the messages that the manual quotes.

#include "caf/rosia/all.hpp"

#include <string>

namespace rosia = caf::rosia;
using namespace std::chrono_literals;

struct printer : rosia::node {
  rosia::input_port<std::string> word{this, "word"};
};

struct awaits_duration : rosia::node {
  rosia::task start() {
    co_await std::string{"a while"};
  }
};

int run(caf::actor_system& sys) {
  rosia::application app{sys};
  auto clock = app.create<rosia::timer>("clock", 100ms);
  auto print = app.create<printer>("print");
  clock[&rosia::timer::output] >>= print[&printer::word];
  return app.run();
}
