// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "base/thread_usage.hpp"
#include "caf/rosia/detail/event_descriptor.hpp"

#include <chrono>
#include <cstdint>

namespace caf::rosia::detail {

/// Replaces the machine's time in tests that simulate workers. Tests:
/// test/simulated_workers.
class simulated_time {
public:
  virtual ~simulated_time() = default;

  /// Returns the time of the steady clock, in nanoseconds. From any thread.
  virtual std::int64_t now() noexcept = 0;

  /// Returns the resource usage of the calling thread.
  virtual thread_usage usage() noexcept = 0;

  /// Waits for a notification of `wake`, at most for `limit`; `max()` means
  /// forever. Called by the thread that runs the application.
  virtual void wait(const event_descriptor& wake,
                    std::chrono::nanoseconds limit)
    = 0;
};

} // namespace caf::rosia::detail
