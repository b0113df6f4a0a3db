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

/// Makes the faults of a round happen: begins each at its injection point, of
/// which the runner tells, and acts on processes and links. What happens to a
/// node, its process does. For the thread of the loop.
class injector {
public:
  // -- member types -----------------------------------------------------------

  /// What is done for it.
  struct hooks {
    /// Tells the process of a fault's node to let it happen.
    std::function<void(const planned_fault&)> arm;

    /// A fault names nobody: the round has to end.
    std::function<void(const planned_fault&, const std::string& why)> refuse;
  };

  // -- constructors, destructors ----------------------------------------------

  /// @param loop outlives it, as do the processes, links, events and numbers.
  injector(event_loop& loop, round_processes& processes, round_links& links,
           timeline& events, std::vector<planned_fault> faults,
           std::mt19937_64& random, hooks on);

  injector(const injector&) = delete;

  injector& operator=(const injector&) = delete;

  // -- properties -------------------------------------------------------------

  const std::vector<planned_fault>& faults() const noexcept {
    return faults_;
  }

  /// When the last fault happened, if one has: nanoseconds since the start.
  const std::optional<std::int64_t>& last_fault() const noexcept {
    return last_fault_;
  }

  /// The faults that should have happened, and have not.
  std::vector<failed_expectation> missing() const;

  // -- injection points -------------------------------------------------------

  /// Processes are about to be started (for links), or have been.
  void launch(fault_place where);

  /// Logical time begins, at this time by the monotonic clock.
  void begin_time(std::int64_t at);

  /// A process has got to a step.
  void take_step(const std::string& process, const process_step& step);

  /// A process has printed a line.
  void take_line(const std::string& line);

  // -- faults that are there from the beginning -------------------------------

  /// A process has got its instructions, and with them its clocks.
  void note_instructed(const round_process& process);

  void note_late(const round_process& process);

  void note_never(const round_process& process);

  // -- names ------------------------------------------------------------------

  /// Refuses faults that name nobody, or whose injection point does.
  /// @param nodes of all processes.
  void check_names(const std::set<std::string>& nodes);

private:
  void begin_all(injection_point_kind when, std::optional<fault_place> where);

  void begin(planned_fault& planned);

  void happen(planned_fault& planned);

  /// The same, and tells of it.
  void happen(planned_fault& planned, const round_process& target);

  void check_name(planned_fault& planned, const std::string& name,
                  const std::set<std::string>& nodes, bool may_be_process);

  void refuse(planned_fault& planned, const std::string& why);

  // -- processes --------------------------------------------------------------

  void disturb_process(planned_fault& planned);

  /// @param count how many signals there were, with this one.
  void send_signal(planned_fault& planned, round_process& target, int number,
                   std::uint64_t count = 1);

  void stop(planned_fault& planned, round_process& target);

  void fill_disk(planned_fault& planned, round_process& target);

  void send_garbage(planned_fault& planned, round_process& target,
                    std::uint64_t count = 1);

  // -- storms -----------------------------------------------------------------

  /// Lets a storm blow from this gust on.
  void blow(planned_fault& planned, std::size_t first = 0);

  void hit(planned_fault& planned, const gust& next);

  /// Continues whom a storm has stopped, and sees to it that all end.
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
  std::vector<planned_fault> faults_; // never grows
  std::mt19937_64* random_;
  hooks on_;
  std::list<garbage_sender> strangers_;
  std::optional<std::int64_t> last_fault_;
};

} // namespace rosia_drill
