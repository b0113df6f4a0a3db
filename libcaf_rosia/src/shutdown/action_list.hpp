// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "shutdown/report_builder.hpp"
#include "shutdown/run_record.hpp"
#include "shutdown/timeline_builder.hpp"

#include <cstdint>
#include <functional>
#include <list>
#include <string>

namespace caf::rosia::detail {

/// A function of the program that a phase runs on a thread of its own.
struct phase_action {
  std::uint64_t id;
  const shutdown_phase* phase;
  std::string name;
  std::function<void(const shutdown_reason&)> code;
  run_record run = {};
};

/// The actions of all phases. They keep their addresses. The shutdown's lock
/// protects the list.
class action_list {
public:
  /// @param code stays with the caller if this throws: it must not be destroyed
  ///             while the lock is held.
  /// @returns a number for `remove`.
  /// @throws std::logic_error if the phase has begun.
  std::uint64_t add(const shutdown_phase& phase, const std::string& name,
                    std::function<void(const shutdown_reason&)>&& code);

  /// @returns the removed action, which may be destroyed without the lock only:
  ///          it is the program's code. Empty if the phase has begun.
  std::list<phase_action> remove(std::uint64_t id);

  /// The actions of a phase may begin.
  void enter(const shutdown_phase& phase);

  /// Notes that the next action of a phase begins. @returns it; null if there
  /// is none that may begin now.
  phase_action* begin_next(const shutdown_phase& phase);

  /// Gives up those of a phase that have not begun.
  /// @param aborted whether the shutdown is.
  void leave(const shutdown_phase& phase, bool aborted);

  /// Whether an action of a phase has failed.
  bool have_failed(const shutdown_phase& phase) const;

  /// Whether all actions of a phase have returned.
  bool are_over(const shutdown_phase& phase) const;

  /// @param aborted whether the shutdown is: then no more actions begin.
  void add_to(report_builder& builder, bool aborted) const;

  /// Adds those of the builder's phase.
  void add_to(timeline_builder& builder) const;

private:
  /// The action that the others of the phase wait for; null if there is none.
  const phase_action* running(const shutdown_phase& phase) const;

  std::uint64_t last_id_ = 0;
  std::list<phase_action> actions_;
};

} // namespace caf::rosia::detail
