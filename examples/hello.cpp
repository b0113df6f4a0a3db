// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The smallest program: one node greets, another prints.
//
//   greeter --> printer
//
// It ends by itself when there are no more events.

#include <chrono>
#include <cstdio>
#include <string>

#include "caf/rosia/all.hpp"

namespace rosia = caf::rosia;
using namespace std::chrono_literals;

namespace {

// A node is a class. Its ports are members that have a name and refer to their
// node.
struct greeter : rosia::node {
  rosia::output_port<std::string> output{this, "output"};

  // start() runs first, at tag 0. As a coroutine, it can let logical time pass.
  // With --rosia.realtime=false, this second takes no physical time.
  rosia::task start() {
    output("hello");
    co_await rosia::after(1s);
    output("world");
  }
};

struct printer : rosia::node {
  rosia::input_port<std::string> word{this, "word"};

  // A reaction runs whenever one of its triggers, here `word`, has a value.
  rosia::reaction on_word{
    this, "on_word", {word}, [this] {
      std::printf("%s at %s\n", word->c_str(), to_string(now()).c_str());
    }};

  // shutdown() runs last.
  void shutdown() {
    std::printf("bye\n");
  }
};

int run(caf::actor_system& sys) {
  rosia::application app{sys};
  auto from = app.create<greeter>("greeter");
  auto to = app.create<printer>("printer");
  from[&greeter::output] >>= to[&printer::word];
  return app.run(); // blocks until the end and returns the exit status
}

} // namespace

int main(int argc, char** argv) {
  return rosia::exec_main(argc, argv, run);
}
