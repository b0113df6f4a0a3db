// The program: makes the nodes, connects them, and runs them.

#include "counter.hpp"

#include <chrono>

namespace rosia = caf::rosia;
using namespace std::chrono_literals;

namespace {

int run(caf::actor_system& sys) {
  rosia::application app{sys};
  auto clock = app.create<rosia::timer>("clock", 1s);
  auto count = app.create<project_name_nodes::counter>("count");
  clock[&rosia::timer::output] >>= count[&project_name_nodes::counter::tick];
  // Returns the program's status when all nodes have ended. A timer never ends
  // by itself: SIGINT (Ctrl-C) and SIGTERM end the program in order.
  return app.run();
}

} // namespace

int main(int argc, char** argv) {
  return rosia::exec_main(argc, argv, run);
}
