// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_drill/drill_file.hpp"
#include "rosia_drill/round_settings.hpp"
#include "rosia_drill/started_process.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace rosia_drill {

/// The ports in a process's options.
struct launch_ports {
  /// The port on which the process listens.
  std::uint16_t own = 0;
  /// The coordinator's port.
  std::uint16_t coordinator = 0;
};

/// Returns the command that starts a process of a round.
/// @param index of the process; 0 for the coordinator.
process_command launch_command(
  const drill& definition, const round_settings& settings, std::size_t index,
  const launch_ports& ports);

/// Replaces `{seed}`, `{round}`, `{folder}` and `{process}` in an argument by
/// the values of a round and a process.
std::string with_values(std::string text, const round_settings& settings,
                        const std::string& process);

/// Returns `NAME=value`, a variable in the environment of a round's processes
/// and their descendants.
std::string round_mark(const round_settings& settings);

} // namespace rosia_drill
