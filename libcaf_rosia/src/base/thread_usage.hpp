// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>

namespace caf::rosia::detail {

/// The resource usage of a thread. Tests: test/base/thread_usage_test.cpp.
struct thread_usage {
  /// Returns those of the calling thread.
  static thread_usage now() noexcept;

  /// Execution time, in nanoseconds.
  std::int64_t cpu = 0;

  /// The number of times that it gave up its processor in order to wait.
  std::int64_t waits = 0;
};

} // namespace caf::rosia::detail
