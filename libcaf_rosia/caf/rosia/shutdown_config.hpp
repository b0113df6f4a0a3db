// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/shutdown.hpp"

#include <caf/fwd.hpp>

#include <string>
#include <vector>

namespace caf::rosia {

/// Declares the options of the group `rosia.shutdown`, so that the command line
/// knows them: `--rosia.shutdown.deadline=1min`,
/// `--rosia.shutdown.phases.actors.timeout=10s`. A config that derives from
/// `rosia::config` calls its `add_shutdown_options` instead; any other one
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
/// @param more_phases the program's own, besides "tasks", "actors" and "final".
void add_shutdown_options(caf::config_option_set& to,
                          const std::vector<std::string>& more_phases = {});

/// Reads the group `rosia.shutdown` of a config: what the command line and the
/// config file say, which need not be declared there.
/// @param defaults what is not in the config; its `phases` are those that the
///        config may change. One that is not among them needs an entry `after`
///        in the config, and is added.
/// @throws std::invalid_argument that names the entry: for one that does not
///         exist, a wrong value, or a phase that does not exist.
shutdown_options shutdown_options_from(
  const caf::actor_system_config& cfg, shutdown_options defaults = {});

} // namespace caf::rosia
