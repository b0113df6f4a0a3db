// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/mailbox.hpp"

#include <caf/detail/actor_system_config_access.hpp>
#include <caf/detail/default_mailbox.hpp>
#include <caf/detail/mailbox_factory.hpp>
#include <caf/scheduled_actor.hpp>

#include <atomic>
#include <memory>
#include <new>
#include <utility>

namespace caf::rosia::detail {

namespace {

// -- access to private members of CAF -----------------------------------------

/// Returns the storage of an actor's default mailbox.
caf::detail::default_mailbox& place_in(caf::scheduled_actor& x);

/// An explicit instantiation, like the one below, may name private members.
template <caf::detail::default_mailbox caf::scheduled_actor::*Member>
struct place_access {
  friend caf::detail::default_mailbox& place_in(caf::scheduled_actor& x) {
    return x.*Member;
  }
};

template struct place_access<&caf::scheduled_actor::default_mailbox_>;

// -- mailbox ------------------------------------------------------------------

/// A mailbox that fetches urgent messages at once. CAF's own looks for new
/// messages only when the actor has no fetched ones left, which may be after a
/// long backlog.
class mailbox : public caf::detail::default_mailbox {
public:
  using super = caf::detail::default_mailbox;

  caf::intrusive::inbox_result push_back(
    caf::mailbox_element_ptr message) override {
    auto is_urgent = message->mid.is_urgent_message();
    auto result = super::push_back(std::move(message));
    // Set afterwards, so that a thread that sees the flag also finds the
    // message.
    if (is_urgent)
      has_urgent_.store(true, std::memory_order_release);
    return result;
  }

  caf::mailbox_element_ptr pop_front() override {
    if (has_urgent_.load(std::memory_order_relaxed)
        && has_urgent_.exchange(false, std::memory_order_acquire))
      size(); // fetches new messages
    return super::pop_front();
  }

private:
  std::atomic<bool> has_urgent_ = false;
};

// It replaces CAF's own mailbox in the same memory, and CAF destroys it as its
// own.
static_assert(sizeof(mailbox) == sizeof(mailbox::super));
static_assert(alignof(mailbox) == alignof(mailbox::super));

class mailbox_factory : public caf::detail::mailbox_factory {
public:
  caf::abstract_mailbox* make(caf::scheduled_actor* owner) override {
    return new (&place_in(*owner)) mailbox;
  }

  /// CAF does not call this function.
  caf::abstract_mailbox* make(caf::blocking_actor*) override {
    return new mailbox;
  }
};

} // namespace

void let_urgent_overtake(caf::actor_system_config& cfg) {
  caf::detail::actor_system_config_access{cfg}.mailbox_factory(
    std::make_unique<mailbox_factory>());
}

} // namespace caf::rosia::detail
