// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "runtime/lag_watch.hpp"
#include "runtime/node_runners.hpp"
#include "runtime/observation.hpp"
#include "runtime/run_context.hpp"
#include "runtime/status_service.hpp"
#include "runtime/watchdog.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace caf::rosia::detail {

/// Warns of nodes of this process that are behind physical time, but cannot say
/// so themselves. Without the option `lag_warn`, it warns of long lags only,
/// and of each culprit once.
class lag_monitor {
public:
  /// All of these outlive it.
  lag_monitor(run_context& run, node_runners& runners, status_service& status,
              watchdog& dog) noexcept
    : run_(&run), runners_(&runners), status_(&status), watchdog_(&dog) {
    // nop
  }

  /// The nodes have started.
  void start();

  /// Warns of those nodes, and sees to it that it is called again: by the
  /// coordinator, or the actor that stands for it in this process.
  void look();

private:
  /// @param cost the processor's time that the last look has taken, in
  ///        nanoseconds.
  void look_later(std::int64_t cost);

  /// What the nodes do, as far as that may take too long.
  std::vector<lag_watch::sight> busy_nodes();

  /// What is known of those that do nothing.
  /// @param busy the others, in ascending order.
  std::shared_ptr<observation> observe_idle(
    const std::vector<lag_watch::sight>& busy);

  /// Adds what the others do, if they have something to do that is late.
  void add_others(std::vector<lag_watch::sight>& to, const observation& idle);

  /// Physical time of a node's tag, as far as the node follows physical time.
  std::int64_t time_of(engine::node_id id, logical_time tag) const;

  void warn(const lag_watch::finding& late, const observation& idle,
            const std::string& others);

  /// The beginning of a warning: by how much the limit is exceeded.
  std::string excess_of(const lag_watch::finding& late) const;

  /// What it does, or what it waits for.
  std::string reason_of(const lag_watch::finding& late,
                        const observation& idle) const;

  /// The others that are behind, and why, as the rest of a sentence; empty if
  /// there are none.
  std::string others_behind(const lag_watch::findings& found,
                            const observation& idle) const;

  /// Why a node does nothing, in a few words; empty if it is not behind.
  std::string why_behind(engine::node_id id, const engine::snapshot* state,
                         const lag_watch::findings& found) const;

  run_context* run_;
  node_runners* runners_;
  status_service* status_;
  watchdog* watchdog_;
  std::optional<lag_watch> watch_;
};

} // namespace caf::rosia::detail
