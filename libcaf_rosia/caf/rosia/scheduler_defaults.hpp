// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/actor_system_config.hpp>

namespace caf::rosia {

/// Replaces two defaults of CAF's scheduler: the policy becomes `sharing`, and
/// the maximal throughput 50. `config` does the same, and has the reasons. For
/// configs of another type. Call it before the command line and the config file
/// are read, which may override both.
///
/// With CAF 1, actors also get mailboxes in which an urgent message, such as an
/// abort, overtakes all unhandled messages. In CAF's own mailboxes it waits for
/// all messages that the actor fetched already.
void set_scheduler_defaults(caf::actor_system_config& cfg);

} // namespace caf::rosia
