// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/actor/node_actor.hpp"

#include "compat/message_ids.hpp"

namespace caf::rosia {

node_actor::~node_actor() {
  // nop
}

} // namespace caf::rosia
