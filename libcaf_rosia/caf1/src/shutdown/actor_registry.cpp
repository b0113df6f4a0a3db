// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "shutdown/actor_registry.hpp"

#include <caf/actor_system_config.hpp>
#include <caf/blocking_actor.hpp>
#include <caf/detail/actor_system_config_access.hpp>
#include <caf/detail/default_mailbox.hpp>
#include <caf/detail/mailbox_factory.hpp>
#include <caf/scheduled_actor.hpp>

#include <utility>

namespace caf::rosia::detail {

namespace {

/// Registers its actor when the actor first looks for a message.
class noting_mailbox : public caf::detail::default_mailbox {
public:
  noting_mailbox(caf::local_actor& owner,
                 std::weak_ptr<actor_registry> registry)
    : owner_(owner), registry_(std::move(registry)) {
    // nop
  }

  caf::mailbox_element_ptr pop_front() override {
    note();
    return default_mailbox::pop_front();
  }

  bool try_block() override {
    note();
    return default_mailbox::try_block();
  }

private:
  // Called by the thread that runs the actor, or launches it.
  void note() {
    if (std::exchange(is_noted_, true))
      return;
    if (auto registry = registry_.lock())
      registry->add(owner_, nullptr);
  }

  caf::local_actor& owner_;
  std::weak_ptr<actor_registry> registry_;
  bool is_noted_ = false;
};

class noting_mailbox_factory : public caf::detail::mailbox_factory {
public:
  explicit noting_mailbox_factory(std::weak_ptr<actor_registry> registry)
    : registry_(std::move(registry)) {
    // nop
  }

  caf::abstract_mailbox* make(caf::scheduled_actor* owner) override {
    return new noting_mailbox{*owner, registry_};
  }

  caf::abstract_mailbox* make(caf::blocking_actor* owner) override {
    return new noting_mailbox{*owner, registry_};
  }

private:
  std::weak_ptr<actor_registry> registry_;
};

} // namespace

void actor_registry::attach_to(caf::actor_system_config& cfg) {
  caf::detail::actor_system_config_access{cfg}.mailbox_factory(
    std::make_unique<noting_mailbox_factory>(weak_from_this()));
}

} // namespace caf::rosia::detail
