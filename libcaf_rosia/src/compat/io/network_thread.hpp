// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/fwd.hpp>

namespace caf::rosia::detail {

/// Ends the process with status 1 and a message if another part of the program
/// closed the pipe that wakes the thread of CAF's middleman. The destructor of
/// the system would wait for this thread forever.
void require_network_thread(caf::actor_system& sys);

} // namespace caf::rosia::detail
