// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/actor_control_block.hpp>
#include <caf/actor_system.hpp>
#include <caf/execution_unit.hpp>
#include <caf/resumable.hpp>
#include <caf/scheduled_actor.hpp>
#include <caf/scheduler/abstract_coordinator.hpp>

// How code other than a message gets an actor to run: CAF has no API for it.
//
// The mailbox's blocked state is the token of scheduling. As long as a mailbox
// is blocked, nobody runs its actor; whoever unblocks it has the token, runs
// the actor or hands it to CAF's scheduler, which then has it. All of it is for
// any thread, while the actor is alive.

namespace caf::rosia::detail {

/// Takes the token. @returns false if somebody else has it.
inline bool try_unblock(caf::scheduled_actor& x) {
  return x.mailbox().blocked() && x.mailbox().try_unblock();
}

/// Takes the token, and a reference to the actor with it, as the scheduler
/// wants it. @returns false if somebody else has it.
inline bool take_token(caf::scheduled_actor& x) {
  if (!try_unblock(x))
    return false;
  caf::intrusive_ptr_add_ref(x.ctrl());
  return true;
}

/// Gives the reference back that came with the token. The actor may be gone
/// then.
inline void drop_reference(caf::scheduled_actor& x) {
  caf::intrusive_ptr_release(x.ctrl());
}

/// Gives the token back, unless there are messages.
inline bool try_block(caf::scheduled_actor& x) {
  return x.mailbox().try_block();
}

/// Hands what is no actor, and a reference to it, to CAF's scheduler.
/// @param unit the worker that this is called on; may be null.
inline void schedule(caf::resumable& x, caf::actor_system& sys,
                     caf::execution_unit* unit) {
  if (unit != nullptr)
    unit->exec_later(&x);
  else
    sys.scheduler().enqueue(&x);
}

/// Hands the token, and its reference, to CAF's scheduler.
/// @param unit the worker that this is called on; may be null.
inline void schedule(caf::scheduled_actor& x, caf::execution_unit* unit) {
  schedule(x, x.home_system(), unit);
}

} // namespace caf::rosia::detail
