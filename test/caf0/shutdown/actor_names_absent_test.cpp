// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// `rosia::actor_names` in a program that is not compiled for it.

#include "caf/rosia/shutdown/actor_names.hpp"

#include "support.hpp"

#include <caf/actor_registry.hpp>

namespace actor_names_absent_test {

namespace {

struct names_config : workers_config {
  names_config() : workers_config(2) {
    names.attach_to(*this);
  }

  rosia::actor_names names;
};

class idle : public caf::event_based_actor {
public:
  explicit idle(caf::actor_config& cfg) : caf::event_based_actor(cfg) {
    // nop
  }

  caf::behavior make_behavior() override {
    return {[](int) {}};
  }
};

} // namespace

TEST_CASE("without its definition a program's actors have no names",
          "[actor_names]") {
  names_config cfg;
  caf::actor_system sys{cfg};
  auto actor = sys.spawn<idle>();
  CHECK(sys.registry().running() == 1);
  CHECK(cfg.names.living().empty());
}

} // namespace actor_names_absent_test
