// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/node_handle.hpp"

#include <caf/typed_event_based_actor.hpp>

namespace caf::rosia {

/// The actor of a node, as the node's code sees it: a typed actor of CAF that
/// can communicate with other actors (see `node::self`).
class node_actor : public node_handle::base {
public:
  // -- member types -----------------------------------------------------------

  using super = node_handle::base;

  // -- for the node's code ----------------------------------------------------

  using super::request;

  using super::send;

protected:
  using super::super;

  ~node_actor() override;
};

} // namespace caf::rosia
