// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "shutdown/observed_actor.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/scheduled_actor.hpp>

#include <utility>

namespace caf::rosia::detail {

observed_actor::observed_actor(caf::scheduled_actor* self) : self_(self) {
  // nop
}

observed_actor::~observed_actor() {
  // nop
}

bool observed_actor::abandon() noexcept {
  return uses_.fetch_or(abandoned) == 0;
}

void observed_actor::actor_exited(const caf::error& reason, worker* host) {
  // CAF would call these later. The list belongs to this thread now. Other
  // observers in it are called last.
  auto rest = std::move(attachable::next);
  for (auto* x = rest.get(); x != nullptr; x = x->next.get())
    if (dynamic_cast<observed_actor*>(x) == nullptr)
      x->actor_exited(reason, host);
  note_end(reason);
  for (auto* x = rest.get(); x != nullptr; x = x->next.get())
    if (auto* other = dynamic_cast<observed_actor*>(x))
      other->note_end(reason);
}

void observed_actor::operator delete(
  observed_actor* x, std::destroying_delete_t) {
  // Deleting a long list must not need a deep stack, see ~attachable.
  auto& next = x->attachable::next;
  while (next != nullptr)
    next = std::exchange(next->next, nullptr);
  x->drop(attached);
}

void observed_actor::drop(std::uint32_t use) noexcept {
  if (uses_.fetch_sub(use) == (abandoned | use))
    let_go();
}

caf::scheduled_actor* find_observable(const caf::strong_actor_ptr& actor) {
  return dynamic_cast<caf::scheduled_actor*>(actor->get());
}

void watch_end(const caf::strong_actor_ptr& actor, observed_actor& observer) {
  observer.uses_ += observed_actor::attached;
  actor->get()->attach(caf::attachable_ptr{&observer});
}

} // namespace caf::rosia::detail
