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

/// The ports that a process of several is told.
struct launch_ports {
  /// Where it listens.
  std::uint16_t own = 0;
  /// Where it finds the coordinator.
  std::uint16_t coordinator = 0;
};

/// The command that starts a process of a round.
/// @param index of the process; 0 for the coordinator.
process_command launch_command(
  const drill& definition, const round_settings& settings, std::size_t index,
  const launch_ports& ports);

/// `NAME=value`: this variable is in the environment of a round's processes,
/// An argument with the values of the round and of a process in place of
/// `{seed}`, `{round}`, `{folder}` and `{process}`.
std::string with_values(std::string text, const round_settings& settings,
                        const std::string& process);

/// and of those that they have started.
std::string round_mark(const round_settings& settings);

} // namespace rosia_drill
