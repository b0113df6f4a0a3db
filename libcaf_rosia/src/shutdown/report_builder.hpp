// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/shutdown.hpp"
#include "shutdown/shutdown_phase.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace caf::rosia::detail {

/// Puts a report together while the shutdown's lock is held, and completes it
/// without the lock.
class report_builder {
public:
  using clock = std::chrono::steady_clock;

  /// @param begun_at when the shutdown began, if it has.
  explicit report_builder(std::optional<clock::time_point> begun_at);

  std::optional<clock::time_point> begun_at() const noexcept {
    return begun_at_;
  }

  clock::time_point now() const noexcept {
    return now_;
  }

  /// What is not about a single participant.
  shutdown_report& report() noexcept {
    return report_;
  }

  /// @param since when it came into that state.
  /// @returns the new entry, until the next call.
  part_report& add(
    std::string name, part_report::kind kind, part_report::state state,
    const shutdown_phase& phase, clock::time_point since);

  /// Calls `inquiry` in `complete`, with the entry that was added last. For
  /// what runs code of the program.
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
