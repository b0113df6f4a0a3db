// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>

namespace caf::rosia::run_file {

/// Waits for a thread that uses a disk, as long as it makes progress within
/// each `patience`.
/// @param steps the progress of the thread.
/// @returns false if the disk does not respond.
inline bool wait_for_disk(
  std::future<void>& result, const std::atomic<std::uint64_t>& steps,
  std::chrono::nanoseconds patience) {
  auto before = steps.load(std::memory_order_relaxed);
  while (result.wait_for(patience) != std::future_status::ready) {
    auto now = steps.load(std::memory_order_relaxed);
    if (now == before)
      return false;
    before = now;
  }
  return true;
}

} // namespace caf::rosia::run_file
