// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>
#include <string>

namespace caf::rosia::engine {

/// The duration of a deadline, in nanoseconds: a constant, or the value of a
/// state.
struct deadline_limit {
  std::int64_t fixed = 0;

  /// The address of the state; null if the duration is a constant.
  const void* state = nullptr;

  /// Read the state's value, in nanoseconds, and its name.
  std::int64_t (*read)(const void* state) = nullptr;
  const std::string& (*name)(const void* state) = nullptr;
};

} // namespace caf::rosia::engine
