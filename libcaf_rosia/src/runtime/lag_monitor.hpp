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

/// Logs warnings for nodes of this process that lag behind physical time and
/// cannot warn themselves. Without the option `lag_warn`, there are warnings
/// for long lags only, and one for each culprit. Tests:
/// test/application/realtime_test.cpp.
class lag_monitor {
public:
  /// All arguments must outlive this object.
  lag_monitor(run_context& run, node_runners& runners, status_service& status,
              watchdog& dog) noexcept
    : run_(&run), runners_(&runners), status_(&status), watchdog_(&dog) {
    // nop
  }

  /// Starts to watch. Called after the start of the nodes.
  void start();

  /// Logs warnings for lagging nodes, and schedules the next call. Called by
  /// the coordinator, or by the actor that represents it in this process.
  void look();

private:
  /// @param cost processor time of the last look, in nanoseconds.
  void look_later(std::int64_t cost);

  /// Returns the activities of nodes that may take too long.
  std::vector<lag_watch::sight> busy_nodes();

  /// Observes the nodes that do nothing.
  /// @param busy the remaining nodes, in ascending order.
  std::shared_ptr<observation> observe_idle(
    const std::vector<lag_watch::sight>& busy);

  /// Adds idle nodes whose next event is late.
  void add_others(std::vector<lag_watch::sight>& to, const observation& idle);

  /// Returns the physical time of a node's tag, or `no_time` if the node does
  /// not follow physical time.
  std::int64_t time_of(engine::node_id id, logical_time tag) const;

  void warn(const lag_watch::finding& late, const observation& idle,
            const std::string& others);

  /// Returns the beginning of a warning: by how much the limit is exceeded.
  std::string excess_of(const lag_watch::finding& late) const;

  /// Returns what the node does, or what it waits for.
  std::string reason_of(const lag_watch::finding& late,
                        const observation& idle) const;

  /// Returns further lagging nodes, with reasons, as the rest of a sentence;
  /// empty if there are none.
  std::string others_behind(const lag_watch::findings& found,
                            const observation& idle) const;

  /// Returns why a node does nothing, in a few words; empty if it does not lag.
  std::string cause_of_lag(engine::node_id id, const engine::snapshot* state,
                           const lag_watch::findings& found) const;

  run_context* run_;
  node_runners* runners_;
  status_service* status_;
  watchdog* watchdog_;
  std::optional<lag_watch> watch_;
};

} // namespace caf::rosia::detail
