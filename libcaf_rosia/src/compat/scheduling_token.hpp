// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/actor_control_block.hpp>
#include <caf/actor_system.hpp>
#include <caf/config.hpp>
#include <caf/resumable.hpp>
#include <caf/scheduled_actor.hpp>

#if CAF_MAJOR_VERSION >= 1
#  include <caf/scheduler.hpp>
#else
#  include <caf/scheduler/abstract_coordinator.hpp>
#endif

// How code other than a message gets an actor to run: CAF has no API for it.
//
// The mailbox's blocked state is the token of scheduling. As long as a mailbox
// is blocked, nobody runs its actor; whoever unblocks it has the token, runs
// the actor or hands it to CAF's scheduler, which then has it. All of it is for
// any thread, while the actor is alive.

namespace caf::rosia::detail {

/// Takes the token, and a reference to the actor with it, as the scheduler
/// wants it. @returns false if somebody else has it.
inline bool take_token(caf::scheduled_actor& x) {
  if (!x.mailbox().blocked() || !x.mailbox().try_unblock())
    return false;
  caf::intrusive_ptr_add_ref(x.ctrl());
  return true;
}

/// Gives the reference back that came with the token. The actor may be gone
/// then.
inline void drop_reference(caf::scheduled_actor& x) {
  caf::intrusive_ptr_release(x.ctrl());
}

/// Hands what is no actor, and a reference to it, to CAF's scheduler.
inline void schedule(caf::resumable& x, caf::actor_system& sys) {
#if CAF_MAJOR_VERSION >= 1
  sys.scheduler().schedule(&x);
#else
  sys.scheduler().enqueue(&x);
#endif
}

} // namespace caf::rosia::detail
