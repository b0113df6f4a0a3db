// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// A program with CAF actors that uses only the orderly shutdown. It checks its
// status.

#include "caf/rosia/shutdown.hpp"

#include <caf/all.hpp>

#include <iostream>

int main() {
  caf::actor_system_config cfg;
  caf::actor_system sys{cfg};
  auto handled = 0;
  auto status = 0;
  {
    caf::rosia::shutdown stop{sys};
    auto counter
      = sys.spawn([&]() -> caf::behavior { return {[&](int) { ++handled; }}; });
    stop.adopt(counter, "counter");
    for (auto i = 0; i < 100; ++i)
      caf::anon_send(counter, i);
    counter = nullptr;
    stop.begin({"the end of the test", 3});
    status = stop.wait_for_shutdown();
  }
  std::cout << handled << " messages were handled\n";
  return handled == 100 && status == 3 ? 0 : 1;
}
