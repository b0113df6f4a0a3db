// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/scheduler_defaults.hpp"

#include "compat/caf_options.hpp"
#include "compat/mailbox.hpp"

namespace caf::rosia {

void set_scheduler_defaults(caf::actor_system_config& cfg) {
  detail::set_word(cfg, "scheduler.policy", "sharing");
  cfg.set(detail::caf_option("scheduler.max-throughput"), 50);
  detail::let_urgent_overtake(cfg);
}

} // namespace caf::rosia
