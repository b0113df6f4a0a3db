// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/shutdown/shutdown_report.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace caf::rosia::detail {

/// Returns whether a shutdown no longer waits for a participant in this state.
constexpr bool is_over(part_report::state state) noexcept {
  return state == part_report::state::ended
         || state == part_report::state::failed;
}

/// The state of a function of the program that the shutdown runs. Tests:
/// test/shutdown.
struct run_record {
  using clock = std::chrono::steady_clock;

  /// Notes that the function may be called, and waits for its turn.
  void wait();

  /// Notes that the function is called, or that a worker is requested to
  /// return.
  void begin();

  /// Notes that the function returned.
  /// @param failure why it failed; empty if it did not.
  void end(const std::string& failure);

  bool is_over() const noexcept {
    return detail::is_over(state);
  }

  /// Returns when the function returned, if it did.
  std::optional<clock::time_point> over_at() const {
    return is_over() ? std::optional{since} : std::nullopt;
  }

  part_report::state state = part_report::state::running;
  clock::time_point since{};
  clock::time_point began_at{};
  std::string error = {};
};

} // namespace caf::rosia::detail
