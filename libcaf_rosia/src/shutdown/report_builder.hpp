// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/shutdown/shutdown_report.hpp"
#include "shutdown/shutdown_phase.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace caf::rosia::detail {

/// Makes a report while the shutdown's lock is held, and completes it without
/// the lock. Tests: test/shutdown/rooms_test.cpp.
class report_builder {
public:
  using clock = std::chrono::steady_clock;

  /// @param begun_at the beginning of the shutdown; nothing before it.
  explicit report_builder(std::optional<clock::time_point> begun_at);

  std::optional<clock::time_point> begun_at() const noexcept {
    return begun_at_;
  }

  clock::time_point now() const noexcept {
    return now_;
  }

  /// Returns the report, for everything except single participants.
  shutdown_report& report() noexcept {
    return report_;
  }

  /// @param since time of the change to this state.
  /// @returns the new entry, valid until the next call.
  part_report& add(
    std::string name, part_report::kind kind, part_report::state state,
    const shutdown_phase& phase, clock::time_point since);

  /// Lets `complete` call `inquiry` with the entry that was added last. For
  /// inquiries that run code of the program.
  void inquire(std::function<void(part_report&)> inquiry);

  /// @pre The lock is not held.
  shutdown_report complete() &&;

private:
  std::optional<clock::time_point> begun_at_;
  clock::time_point now_ = clock::now();
  shutdown_report report_;
  std::vector<std::pair<std::size_t, std::function<void(part_report&)>>>
    inquiries_;
};

} // namespace caf::rosia::detail
