// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"
#include "engine/host.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace caf::rosia::engine {

/// Physical time as a node sees it: in nanoseconds since the common start, read
/// when the node is called, and where it decides about a tag. Tests:
/// test/engine/physical_rules_test.cpp.
class node_clock {
public:
  static constexpr std::int64_t no_wake
    = std::numeric_limits<std::int64_t>::max();

  /// @returns the time as of now.
  std::int64_t read(engine::host& env) {
    return elapsed_ = env.elapsed();
  }

  /// Takes over what another clock has read.
  void set(std::int64_t elapsed) noexcept {
    elapsed_ = elapsed;
  }

  /// The time as last read.
  std::int64_t elapsed() const noexcept {
    return elapsed_;
  }

  /// Returns the least tag that the node may still give to a value from outside
  /// after it executed `logical`.
  logical_time least_stamp(logical_time logical) const noexcept {
    return std::max(
      logical_time{elapsed_, 0}, saturating_add(logical, delay{microsteps(1)}));
  }

  /// Returns that tag if stamps are `lead` or more later than elapsed time.
  logical_time least_stamp(logical_time logical,
                           const delay& lead) const noexcept {
    return std::max(saturating_add({elapsed_, 0}, lead),
                    saturating_add(logical, delay{microsteps(1)}));
  }

  /// When to call the node even if nothing else happens; `no_wake` if never.
  std::int64_t wake_at() const noexcept {
    return wake_at_;
  }

  void wake_no_later_than(std::int64_t ns) noexcept {
    wake_at_ = std::min(wake_at_, ns);
  }

  void forget_wake() noexcept {
    wake_at_ = no_wake;
  }

private:
  std::int64_t elapsed_ = 0;
  std::int64_t wake_at_ = no_wake;
};

} // namespace caf::rosia::engine
