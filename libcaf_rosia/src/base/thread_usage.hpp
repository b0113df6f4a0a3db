// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>

namespace caf::rosia::detail {

/// What a thread has used so far.
struct thread_usage {
  /// Of the calling thread.
  static thread_usage now() noexcept;

  /// The time that it has run, in nanoseconds.
  std::int64_t cpu = 0;

  /// How often it has given its processor up, because it had to wait.
  std::int64_t waits = 0;

  /// How often it was taken from it, for others.
  std::int64_t preemptions = 0;
};

} // namespace caf::rosia::detail
