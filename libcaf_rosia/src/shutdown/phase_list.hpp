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

/// The phases of a shutdown, and their order: "threads", "actors", "final", and
/// those of the program. Their addresses do not change. The shutdown's lock
/// protects the list. Tests: test/shutdown/rooms_test.cpp.
class phase_list {
public:
  /// Creates the phases "threads", "actors" and "final".
  phase_list();

  /// Adds or changes phases.
  /// @throws std::invalid_argument like `set`, possibly after some changes.
  void set_all(std::map<std::string, phase_options> all);

  /// Adds or changes a phase.
  /// @throws std::invalid_argument for an unknown phase, a cycle or a negative
  ///         timeout.
  /// @throws std::logic_error if the phase began already.
  void set(const std::string& name, phase_options opts);

  /// @throws std::invalid_argument if there is no such phase.
  shutdown_phase& find(const std::string& name);

  /// Returns the phase "threads", which has the guards, threads and workers.
  shutdown_phase& threads() noexcept {
    return phases_.front();
  }

  const shutdown_phase& threads() const noexcept {
    return phases_.front();
  }

  /// Returns whether a phase begins only after the end of `earlier`, because of
  /// its options or those of other phases.
  bool comes_after(const shutdown_phase& x, const shutdown_phase& earlier);

  /// Returns the next phase whose predecessors ended; null if there is none.
  shutdown_phase* next();

  /// Returns whether no phase has a living participant.
  bool all_empty() const;

  /// Returns the phases that began, in this order.
  std::vector<const shutdown_phase*> begun() const;

private:
  /// @throws std::invalid_argument for an unknown phase, or a negative timeout.
  void check(const std::string& name, const phase_options& opts) const;

  std::size_t index_of(const std::string& name) const;

  /// Describes a cycle, "a after b after a"; empty if there is none.
  std::string find_cycle() const;

  std::deque<shutdown_phase> phases_;
};

} // namespace caf::rosia::detail
