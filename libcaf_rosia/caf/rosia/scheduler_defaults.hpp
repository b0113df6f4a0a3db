// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/actor_system_config.hpp>

namespace caf::rosia {

/// Replaces two defaults of CAF's scheduler as `config` does, which says why:
/// the policy is `sharing`, and the maximal throughput 50. For configs of
/// another type; to be called before command line and config file are read,
/// which may override both.
///
/// With CAF 1, actors also get mailboxes in which an urgent message, such as
/// that of an abort, overtakes all that the actor has not handled. In CAF's own
/// it waits for all that the actor has fetched already.
void set_scheduler_defaults(caf::actor_system_config& cfg);

} // namespace caf::rosia
