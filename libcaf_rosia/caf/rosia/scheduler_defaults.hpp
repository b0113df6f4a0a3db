// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/actor_system_config.hpp>
#include <caf/config.hpp>

#if CAF_MAJOR_VERSION >= 1
#  include <string>
#else
#  include <caf/atom.hpp>
#endif

namespace caf::rosia {

/// Replaces two defaults of CAF's scheduler as `config` does, which says why:
/// the policy is `sharing`, and the maximal throughput 50. For configs of
/// another type; to be called before command line and config file are read,
/// which may override both.
inline void set_scheduler_defaults(caf::actor_system_config& cfg) {
#if CAF_MAJOR_VERSION >= 1
  cfg.set("caf.scheduler.policy", std::string{"sharing"});
  cfg.set("caf.scheduler.max-throughput", 50);
#else
  cfg.set("scheduler.policy", caf::atom("sharing"));
  cfg.set("scheduler.max-throughput", 50);
#endif
}

} // namespace caf::rosia
