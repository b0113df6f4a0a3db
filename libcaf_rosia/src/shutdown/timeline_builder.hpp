// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/shutdown/shutdown_report.hpp"
#include "shutdown/shutdown_phase.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace caf::rosia::detail {

/// Makes a timeline, phase by phase, while the shutdown's lock is held. Tests:
/// test/shutdown/rooms_test.cpp.
class timeline_builder {
public:
  using clock = std::chrono::steady_clock;

  /// @param begun_at the beginning of the shutdown.
  explicit timeline_builder(clock::time_point begun_at) : begun_at_(begun_at) {
    // nop
  }

  clock::time_point begun_at() const noexcept {
    return begun_at_;
  }

  /// Begins a phase. Further entries belong to it.
  void enter(const shutdown_phase& phase);

  /// @pre A phase was entered.
  const shutdown_phase& phase() const noexcept {
    return *phase_;
  }

  /// @param kind see `timeline_entry::kind`.
  /// @param end nothing if it is not over.
  /// @param aborted see `timeline_entry::aborted`.
  /// @returns the new entry, valid until the next call.
  timeline_entry& add(
    const std::string& name, std::string kind, clock::time_point begin,
    std::optional<clock::time_point> end, bool aborted);

  shutdown_timeline complete() && {
    return std::move(timeline_);
  }

private:
  clock::time_point begun_at_;
  clock::time_point now_ = clock::now();
  const shutdown_phase* phase_ = nullptr;
  shutdown_timeline timeline_;
};

} // namespace caf::rosia::detail
