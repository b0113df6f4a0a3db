// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/fwd.hpp>

namespace caf::rosia {

/// Loads the middleman with Rosia's multiplexer, which is CAF's own with fewer
/// system calls. Replaces a middleman that was loaded before. `exec_main` does
/// so for applications with several processes.
///
/// Data for a TCP connection is written in the same pass, and waits for the
/// socket only if the socket does not accept all of it. CAF itself always
/// waits, which takes three more calls. Pending work of brokers is done before
/// the sockets are polled again. A broker must not change data in `wr_buf`
/// after it called `flush`.
void load_multiplexer(caf::actor_system_config& cfg);

} // namespace caf::rosia
