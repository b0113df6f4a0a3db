// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace caf::rosia::detail::local_processes {

// The processes that this one, a coordinator, has started from its own
// executable. They may have something to do after the application, as this
// process does. All functions may be called from any thread.

/// Called when a process has ended, with its index among the names.
using ended_function = std::function<void(std::size_t, int status)>;

/// What a process gets from this one.
struct inheritance {
  /// What its environment has in addition to this one's.
  std::vector<std::string> environment;

  /// A signal that it blocks until somebody holds it; 0 if none.
  int blocked = 0;
};

using inheritance_function
  = std::function<inheritance(const std::string& name)>;

/// Starts them, and relays what they print, with their names in front.
/// @param patience with those that remain at the end.
/// @throws std::runtime_error if there are some already; or if one cannot be
///         started, saying which, why, and what to do: then none is left.
void start(std::vector<std::string> names, std::chrono::nanoseconds patience,
           ended_function owner, const inheritance_function& inherited);

/// Tells nobody any more of their ends.
void forget_owner();

void kill_all() noexcept;

/// There is nothing left for them to do: they get a SIGTERM, and how they end
/// does not matter any more.
void dismiss();

/// Waits until all have ended, but not for long; kills and names those that
/// remain. At the program's end by itself.
/// @param names_failed names those that failed, too.
/// @returns whether all have ended well.
bool finish(bool names_failed);

} // namespace caf::rosia::detail::local_processes
