// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "shutdown/shutdown_phase.hpp"

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace caf::rosia::detail {

/// The phases of a shutdown, and their order: "tasks", "actors", "final", and
/// those that are added. They keep their addresses. The shutdown's lock
/// protects the list.
class phase_list {
public:
  /// "tasks", "actors" and "final".
  phase_list();

  /// Adds phases, or changes those that are there.
  /// @throws std::invalid_argument as `set`; then some are changed.
  void set_all(std::map<std::string, phase_options> all);

  /// Adds a phase, or changes one.
  /// @throws std::invalid_argument for an unknown phase, a cycle or a negative
  ///         timeout.
  /// @throws std::logic_error if it has begun.
  void set(const std::string& name, phase_options opts);

  /// @throws std::invalid_argument if there is no such phase.
  shutdown_phase& find(const std::string& name);

  /// The phase "tasks", to which guards, tasks and workers belong.
  shutdown_phase& tasks() noexcept {
    return phases_.front();
  }

  const shutdown_phase& tasks() const noexcept {
    return phases_.front();
  }

  /// Returns whether a phase begins only when `earlier` is over, because its
  /// options say so, or by way of other phases.
  bool comes_after(const shutdown_phase& x, const shutdown_phase& earlier);

  /// The next phase whose predecessors are over; null if there is none.
  shutdown_phase* next();

  /// Whether no phase has a participant that is alive.
  bool all_empty() const;

  /// Those that have begun, in that order.
  std::vector<const shutdown_phase*> begun() const;

private:
  /// @throws std::invalid_argument for an unknown phase, or a negative timeout.
  void check(const std::string& name, const phase_options& opts) const;

  std::size_t index_of(const std::string& name) const;

  /// Renders a cycle, "a after b after a"; empty if there is none.
  std::string find_cycle() const;

  std::deque<shutdown_phase> phases_;
};

} // namespace caf::rosia::detail
