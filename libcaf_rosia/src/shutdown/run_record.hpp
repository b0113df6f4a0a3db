// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/shutdown.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace caf::rosia::detail {

/// Whether a participant needs no waiting for any more.
constexpr bool is_over(part_report::state state) noexcept {
  return state == part_report::state::ended
         || state == part_report::state::failed;
}

/// What has become of a function of the program that the shutdown runs.
struct run_record {
  using clock = std::chrono::steady_clock;

  /// The function may be called, when its turn comes.
  void wait();

  /// The function is called, or, of a worker, it is asked to return.
  void begin();

  /// The function has returned.
  /// @param failure why it has failed; empty if it has not.
  void end(const std::string& failure);

  bool is_over() const noexcept {
    return detail::is_over(state);
  }

  /// When the function has returned, if it has.
  std::optional<clock::time_point> over_at() const {
    return is_over() ? std::optional{since} : std::nullopt;
  }

  part_report::state state = part_report::state::running;
  clock::time_point since{};
  clock::time_point began_at{};
  std::string error = {};
};

} // namespace caf::rosia::detail
