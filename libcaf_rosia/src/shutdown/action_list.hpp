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

/// A function of the program that a phase runs on a separate thread.
struct phase_action {
  std::uint64_t id;
  const shutdown_phase* phase;
  std::string name;
  std::function<void(const shutdown_reason&)> code;
  run_record run = {};
};

/// The actions of all phases. Their addresses do not change. The shutdown's
/// lock protects the list. Tests: test/shutdown/rooms_test.cpp.
class action_list {
public:
  /// Adds an action.
  /// @param code not moved from if this throws: it must not be destroyed while
  ///        the lock is held.
  /// @returns a number for `remove`.
  /// @throws std::logic_error if the phase began already.
  std::uint64_t add(const shutdown_phase& phase, const std::string& name,
                    std::function<void(const shutdown_reason&)>&& code);

  /// Removes an action.
  /// @returns the action, which must be destroyed without the lock, because it
  ///          has code of the program. Empty if the phase began already.
  std::list<phase_action> remove(std::uint64_t id);

  /// Lets the actions of a phase wait for their turn.
  void enter(const shutdown_phase& phase);

  /// Notes that the next action of a phase begins.
  /// @returns the action; null if none may begin now.
  phase_action* begin_next(const shutdown_phase& phase);

  /// Gives up the actions of a phase that did not begin.
  /// @param aborted whether the shutdown is aborted.
  void leave(const shutdown_phase& phase, bool aborted);

  bool have_failed(const shutdown_phase& phase) const;

  /// Returns whether all actions of a phase returned.
  bool are_over(const shutdown_phase& phase) const;

  /// @param aborted whether the shutdown is aborted, so that no more actions
  ///        begin.
  void add_to(report_builder& builder, bool aborted) const;

  /// Adds the actions of the builder's phase.
  void add_to(timeline_builder& builder) const;

private:
  /// Returns the running action of a phase; null if there is none.
  const phase_action* running(const shutdown_phase& phase) const;

  std::uint64_t last_id_ = 0;
  std::list<phase_action> actions_;
};

} // namespace caf::rosia::detail
