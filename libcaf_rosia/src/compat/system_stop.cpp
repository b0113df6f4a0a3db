// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/system_stop.hpp"

#include "compat/registry_key.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/actor.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/actor_registry.hpp>
#include <caf/actor_system.hpp>
#include <caf/behavior.hpp>
#include <caf/event_based_actor.hpp>

#include <utility>

namespace caf::rosia::detail {

namespace {

/// An actor that ends at once, and then owns an object.
class stop_keeper : public caf::event_based_actor {
public:
  stop_keeper(caf::actor_config& cfg, std::shared_ptr<stop_observer> x)
    : caf::event_based_actor(cfg), owned_(std::move(x)) {
    // nop
  }

  caf::behavior make_behavior() override {
    return {};
  }

private:
  std::shared_ptr<stop_observer> owned_;
};

} // namespace

stop_observer::~stop_observer() {
  // nop
}

void observe_stop(caf::actor_system& sys,
                  std::shared_ptr<stop_observer> observer) {
  // CAF ends its own actors last.
  sys.spawn_serv()->get()->attach_functor([x = std::weak_ptr{observer}] {
    if (auto alive = x.lock())
      alive->begin();
  });
  // The registry releases its actors after CAF has stopped.
  sys.registry().put(
    stop_key,
    caf::actor{sys.spawn<stop_keeper, caf::hidden>(std::move(observer))});
}

} // namespace caf::rosia::detail
