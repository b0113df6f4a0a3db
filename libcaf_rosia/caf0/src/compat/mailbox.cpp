// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/mailbox.hpp"

namespace caf::rosia::detail {

void let_urgent_overtake(caf::actor_system_config&) {
  // nop
}

} // namespace caf::rosia::detail
