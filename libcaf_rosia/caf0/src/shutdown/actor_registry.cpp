// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "shutdown/actor_registry.hpp"

#include <caf/actor_profiler.hpp>
#include <caf/actor_system_config.hpp>

namespace caf::rosia::detail {

namespace {

/// Registers actors when they are spawned, before they are launched.
class spawn_observer : public caf::actor_profiler {
public:
  explicit spawn_observer(actor_registry& registry) : registry_(registry) {
    // nop
  }

  void add_actor(const caf::local_actor& self,
                 const caf::local_actor* parent) override {
    registry_.add(self, parent);
  }

  void remove_actor(const caf::local_actor&) override {
    // nop
  }

  void before_processing(const caf::local_actor&,
                         const caf::mailbox_element&) override {
    // nop
  }

  void after_processing(const caf::local_actor&,
                        caf::invoke_message_result) override {
    // nop
  }

  void before_sending(const caf::local_actor&, caf::mailbox_element&) override {
    // nop
  }

  void before_sending_scheduled(
    const caf::local_actor&, caf::actor_clock::time_point,
    caf::mailbox_element&) override {
    // nop
  }

private:
  actor_registry& registry_;
};

} // namespace

void actor_registry::attach_to(caf::actor_system_config& cfg) {
  if (observer_ == nullptr)
    observer_ = std::make_shared<spawn_observer>(*this);
  cfg.profiler = static_cast<spawn_observer*>(observer_.get());
}

} // namespace caf::rosia::detail
