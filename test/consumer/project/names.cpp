// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// A project that uses the names of actors. It checks its output.

#include "caf/rosia/config.hpp"
#include "caf/rosia/shutdown/actor_names.hpp"

#include <caf/all.hpp>

#include <iostream>

namespace {

struct names_config : caf::rosia::config {
  names_config() {
    names.attach_to(*this);
  }

  caf::rosia::actor_names names;
};

class store_actor : public caf::event_based_actor {
public:
  explicit store_actor(caf::actor_config& cfg) : caf::event_based_actor(cfg) {
    // nop
  }

  const char* name() const override {
    return "store";
  }

  caf::behavior make_behavior() override {
    return {[](int) {}};
  }
};

} // namespace

int main() {
  names_config cfg;
  caf::actor_system sys{cfg};
  auto store = sys.spawn<store_actor>();
  auto found = cfg.names.living();
  for (auto& x : found)
    std::cout << x.name << " is alive\n";
  return found.size() == 1 && found[0].name == "store" ? 0 : 1;
}
