// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/shutdown/thread_result.hpp"
#include "shutdown/report_builder.hpp"
#include "shutdown/timeline_builder.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace caf::rosia::detail {

/// The guards, and threads with a guard each, that a shutdown waits for. The
/// shutdown's lock protects the list. Tests: test/shutdown/rooms_test.cpp.
class guard_list {
public:
  using clock = std::chrono::steady_clock;

  struct record {
    std::string name;
    bool temporary;
    part_report::kind kind;
    clock::time_point since;               // time of its creation
    std::weak_ptr<thread_progress> thread; // for a thread only
  };

  /// @returns the number of the new guard.
  /// @param thread null for a guard without a thread.
  std::uint64_t add(std::string name, bool temporary,
                    const std::shared_ptr<thread_progress>& thread);

  /// @pre the guard was not dropped.
  const record& at(std::uint64_t id) const {
    return guards_.at(id);
  }

  /// Removes a guard.
  /// @param in_shutdown whether a timeline must list it.
  /// @returns the guard.
  record drop(std::uint64_t id, bool in_shutdown);

  /// Returns the threads that did not return yet. The result must not be
  /// destroyed while the lock is held, because threads may own objects of the
  /// program.
  std::vector<std::shared_ptr<thread_progress>> threads() const;

  bool empty() const noexcept {
    return guards_.empty();
  }

  void add_to(report_builder& builder, const shutdown_phase& phase) const;

  void add_to(timeline_builder& builder) const;

private:
  struct dropped_guard {
    std::string name;
    part_report::kind kind;
    clock::time_point at;
  };

  std::uint64_t last_id_ = 0;
  std::map<std::uint64_t, record> guards_;
  std::vector<dropped_guard> dropped_; // during the shutdown
};

} // namespace caf::rosia::detail
