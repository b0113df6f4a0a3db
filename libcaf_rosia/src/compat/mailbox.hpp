// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/actor_system_config.hpp>

namespace caf::rosia::detail {

/// Lets urgent messages overtake all others, including those that the receiver
/// has fetched from its mailbox. CAF 0.17 fetches them often enough without
/// this.
void let_urgent_overtake(caf::actor_system_config& cfg);

} // namespace caf::rosia::detail
