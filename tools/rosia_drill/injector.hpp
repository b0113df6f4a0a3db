// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_drill/control.hpp"
#include "rosia_drill/event_loop.hpp"
#include "rosia_drill/garbage_sender.hpp"
#include "rosia_drill/outcome.hpp"
#include "rosia_drill/planned_fault.hpp"
#include "rosia_drill/round_links.hpp"
#include "rosia_drill/round_processes.hpp"
#include "rosia_drill/timeline.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace rosia_drill {

/// Injects the faults of a round, each at its injection point, which the runner
/// reports. Acts on processes and links. Faults of nodes are injected by their
/// process. All members must be called from the loop's thread.
class injector {
public:
  // -- member types -----------------------------------------------------------

  /// Callbacks.
  struct hooks {
    /// Tells the process of a fault's node to inject it.
    std::function<void(const planned_fault&)> arm;

    /// Called if a fault has an unknown target: the round must end.
    std::function<void(const planned_fault&, const std::string& reason)> refuse;
  };

  // -- constructors, destructors ----------------------------------------------

  /// @param loop must outlive this object, as must the processes, links, events
  /// and random numbers.
  injector(event_loop& loop, round_processes& processes, round_links& links,
           timeline& events, std::vector<planned_fault> faults,
           std::mt19937_64& random, hooks on);

  injector(const injector&) = delete;

  injector& operator=(const injector&) = delete;

  // -- properties -------------------------------------------------------------

  const std::vector<planned_fault>& faults() const noexcept {
    return faults_;
  }

  /// Returns the time of the last fault, in nanoseconds since the start, if
  /// there was one.
  const std::optional<std::int64_t>& last_fault() const noexcept {
    return last_fault_;
  }

  /// Returns the faults that should have happened, but did not.
  std::vector<failed_expectation> missing() const;

  // -- injection points -------------------------------------------------------

  /// Injects faults before processes are started (links), or after.
  void launch(fault_place where);

  /// Called when logical time starts, with the time of the monotonic clock.
  void begin_time(std::int64_t at);

  /// Called when a process reaches a step.
  void take_step(const std::string& process, const process_step& step);

  /// Called when a process prints a line.
  void take_line(const std::string& line);

  // -- faults from the start --------------------------------------------------

  /// Called when a process receives its instructions, which contain its
  /// clock offsets.
  void note_instructed(const round_process& process);

  void note_late(const round_process& process);

  void note_never(const round_process& process);

  // -- names ------------------------------------------------------------------

  /// Refuses faults with an unknown target or injection point.
  /// @param nodes of all processes.
  void check_names(const std::set<std::string>& nodes);

private:
  void begin_all(injection_point_kind when, std::optional<fault_place> where);

  void begin(planned_fault& planned);

  void happen(planned_fault& planned);

  /// Injects a fault into a process and records it.
  void happen(planned_fault& planned, const round_process& target);

  void check_name(planned_fault& planned, const std::string& name,
                  const std::set<std::string>& nodes, bool may_be_process);

  void refuse(planned_fault& planned, const std::string& reason);

  // -- processes --------------------------------------------------------------

  void disturb_process(planned_fault& planned);

  /// @param count number of signals so far, including this one.
  void send_signal(planned_fault& planned, round_process& target, int number,
                   std::uint64_t count = 1);

  void stop(planned_fault& planned, round_process& target);

  void fill_disk(planned_fault& planned, round_process& target);

  void send_garbage(planned_fault& planned, round_process& target,
                    std::uint64_t count = 1);

  // -- storms -----------------------------------------------------------------

  /// Starts a storm at this gust.
  void blow(planned_fault& planned, std::size_t first = 0);

  void hit(planned_fault& planned, const gust& next);

  /// Continues the processes that a storm stopped, and makes all of them
  /// exit.
  void calm_down(planned_fault& planned);

  // -- links ------------------------------------------------------------------

  void disturb_link(planned_fault& planned);

  // -- implementation ---------------------------------------------------------

  void call_after(std::chrono::nanoseconds pause,
                  std::function<void()> function);

  event_loop* loop_;
  round_processes* processes_;
  round_links* links_;
  timeline* events_;
  std::vector<planned_fault> faults_; // its size never changes
  std::mt19937_64* random_;
  hooks on_;
  std::list<garbage_sender> strangers_;
  std::optional<std::int64_t> last_fault_;
};

} // namespace rosia_drill
