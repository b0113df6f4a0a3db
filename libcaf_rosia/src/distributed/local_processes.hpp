// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace caf::rosia::detail::local_processes {

// The processes that this process, a coordinator, started from its own
// executable. Like this process, they may continue after the application. All
// functions may be called from any thread.

/// Called at the end of a process, with its index among the names.
using ended_function = std::function<void(std::size_t, int status)>;

/// The settings that a process inherits from this one.
struct inheritance {
  /// Variables added to the environment of this process.
  std::vector<std::string> environment;

  /// Signals that are blocked until the process handles them.
  std::vector<int> blocked;
};

using inheritance_function
  = std::function<inheritance(const std::string& name)>;

/// Starts the processes, and relays their output with their names in front.
/// @param patience time for the remaining processes at the end.
/// @throws std::runtime_error if there are some already, or if one cannot be
///         started, with the name, the reason and advice. In this case, none is
///         left.
void start(std::vector<std::string> names, std::chrono::nanoseconds patience,
           ended_function owner, const inheritance_function& inherited);

/// Stops the calls of `owner`.
void forget_owner();

void kill_all() noexcept;

/// Sends SIGTERM to the processes, because they have nothing left to do. Their
/// exit statuses no longer matter.
void dismiss();

/// Waits until the end of all processes, but not for long. Kills and names
/// those that remain. Also called at the program's end.
/// @param names_failed whether to name processes that failed.
/// @returns whether all processes succeeded.
bool finish(bool names_failed);

} // namespace caf::rosia::detail::local_processes
