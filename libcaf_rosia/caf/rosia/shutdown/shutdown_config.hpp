// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/shutdown/shutdown_options.hpp"

#include <caf/fwd.hpp>

#include <string>
#include <vector>

namespace caf::rosia {

/// Declares the options of the group `rosia.shutdown` for the command line:
/// `--rosia.shutdown.deadline=1min`,
/// `--rosia.shutdown.phases.actors.timeout=10s`. A config that derives from
/// `rosia::config` calls its `add_shutdown_options` instead; any other config
/// calls this in its constructor:
///
/// ~~~
/// struct my_config : caf::actor_system_config {
///   my_config() {
///     caf::rosia::add_shutdown_options(custom_options_, {"stores"});
///   }
/// };
/// ~~~
///
/// @param more_phases the program's own, in addition to "threads", "actors" and
///   "final".
void add_shutdown_options(caf::config_option_set& to,
                          const std::vector<std::string>& more_phases = {});

/// Reads the group `rosia.shutdown` of a config, from the command line and the
/// config file. The options need not be declared.
/// @param defaults the values of entries that are not in the config. The config
///   may change its `phases`. Any other phase in the config needs an entry
///   `after`, and is added.
/// @throws std::invalid_argument that names the entry, for an unknown entry, a
/// wrong value, or an unknown phase.
shutdown_options shutdown_options_from(
  const caf::actor_system_config& cfg, shutdown_options defaults = {});

} // namespace caf::rosia
