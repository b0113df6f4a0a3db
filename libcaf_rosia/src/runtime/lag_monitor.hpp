// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "runtime/lag_watch.hpp"
#include "runtime/node_actors.hpp"
#include "runtime/run_context.hpp"
#include "runtime/status_service.hpp"
#include "runtime/watchdog.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace caf::rosia::detail {

/// Warns of nodes of this process that are behind physical time, but cannot say
/// so themselves. Does nothing without the option `lag_warn`.
class lag_monitor {
public:
  /// All of these outlive it.
  lag_monitor(run_context& run, node_actors& actors, status_service& status,
              watchdog& dog) noexcept
    : run_(&run), actors_(&actors), status_(&status), watchdog_(&dog) {
    // nop
  }

  /// The nodes have started.
  void start();

  /// Warns of those nodes, and sees to it that it is called again: by the
  /// coordinator, or the actor that stands for it in this process.
  void look();

private:
  void look_later();

  /// What the nodes do, as far as that may take too long.
  std::vector<lag_watch::sight> busy_nodes();

  /// How many of the others have something to do that is late.
  std::size_t count_idle_late(const std::vector<lag_watch::sight>& busy);

  run_context* run_;
  node_actors* actors_;
  status_service* status_;
  watchdog* watchdog_;
  std::optional<lag_watch> watch_;
};

} // namespace caf::rosia::detail
