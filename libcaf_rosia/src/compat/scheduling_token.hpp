// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/scheduling.hpp"

#include <caf/actor_control_block.hpp>
#include <caf/scheduled_actor.hpp>

// Runs an actor without sending a message, for which CAF has no API.
//
// The mailbox's blocked state is the token of scheduling. While a mailbox is
// blocked, no thread runs its actor. The thread that unblocks it owns the
// token, and must run the actor or pass it to CAF's scheduler. All functions
// may be called from any thread, while the actor is alive.

namespace caf::rosia::detail {

/// Takes the token, and a reference to the actor for the scheduler.
/// @returns false if another thread owns the token.
inline bool take_token(caf::scheduled_actor& x) {
  if (!x.mailbox().blocked() || !x.mailbox().try_unblock())
    return false;
  caf::intrusive_ptr_add_ref(x.ctrl());
  return true;
}

/// Releases the reference that was taken with the token. This may destroy the
/// actor.
inline void drop_reference(caf::scheduled_actor& x) {
  caf::intrusive_ptr_release(x.ctrl());
}

} // namespace caf::rosia::detail
