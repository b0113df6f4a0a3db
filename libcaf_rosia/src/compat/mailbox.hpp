// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/actor_system_config.hpp>
#include <caf/config.hpp>

namespace caf::rosia::detail {

/// Lets urgent messages overtake all others, including those that the receiver
/// has fetched from its mailbox. CAF 0.17 fetches them often enough without
/// this.
#if CAF_MAJOR_VERSION >= 1
void let_urgent_overtake(caf::actor_system_config& cfg);
#else
inline void let_urgent_overtake(caf::actor_system_config&) {
  // nop
}
#endif

} // namespace caf::rosia::detail
