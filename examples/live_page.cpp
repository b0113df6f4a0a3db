// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// An ordinary CAF program without nodes that shows its shutdown in a browser:
//
//   live_page --rosia.watch.address=127.0.0.1:8080 --rosia.watch.control=true
//
// It runs until Ctrl-C, or until a viewer requests the end on the page.

#include <caf/all.hpp>

#include "caf/rosia/all.hpp"

namespace rosia = caf::rosia;

namespace {

caf::behavior store(caf::event_based_actor*) {
  return {
    [](int x) { return x; },
  };
}

int run(caf::actor_system& sys) {
  rosia::shutdown down{sys};
  rosia::live_page page{down, rosia::options_from(sys.config())};
  auto data = sys.spawn(store);
  down.adopt(data, "store");
  down.on("final", "save the store", [](const rosia::shutdown_reason&) {
    // If this took a while, the page would name the actor.
  });
  return down.wait_for_shutdown();
}

} // namespace

int main(int argc, char** argv) {
  return rosia::exec_main(argc, argv, run);
}
