// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/signature.hpp"
#include "caf/rosia/fwd.hpp"
#include "caf/rosia/inspect.hpp"
#include "caf/rosia/logical_time.hpp"

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/typed_actor.hpp>

#include <memory>

namespace caf::rosia {

// Messages of the coordinator to nodes (sections 5 and 6 of the semantics).
// Within a process, data does not travel in mailboxes.

/// Tells a node to run `start()`.
struct start_message {};

/// Asks for the node's answer to a proposed final tag.
struct end_proposal {
  logical_time proposal;
};

/// The final tag, and the requested one that led to it.
struct final_tag_message {
  logical_time final;
  logical_time requested;
};

/// Tells a node to end at once.
struct abort_message {};

/// Tells a node to record its state in `into`. Only within a process.
struct observation_request {
  std::shared_ptr<detail::observation> into;
};

// -- serialisation ------------------------------------------------------------

template <class Inspector>
auto inspect(Inspector& f, start_message& x) {
  return inspect_members(f, x);
}

template <class Inspector>
auto inspect(Inspector& f, end_proposal& x) {
  return inspect_members(f, x, x.proposal);
}

template <class Inspector>
auto inspect(Inspector& f, final_tag_message& x) {
  return inspect_members(f, x, x.final, x.requested);
}

template <class Inspector>
auto inspect(Inspector& f, abort_message& x) {
  return inspect_members(f, x);
}

/// The handle of a node's actor.
using node_handle = caf::typed_actor<
  detail::signature<void, start_message>, detail::signature<void, end_proposal>,
  detail::signature<void, final_tag_message>,
  detail::signature<void, abort_message>,
  detail::signature<void, observation_request>>;

} // namespace caf::rosia

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(caf::rosia::observation_request)
