// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/thread_usage.hpp"

#include <sys/resource.h>
#include <time.h>

namespace caf::rosia::detail {

thread_usage thread_usage::now() noexcept {
  // In `used`, the execution time may be as old as the last tick of the kernel.
  timespec cpu{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
  rusage used{};
  getrusage(RUSAGE_THREAD, &used);
  return {
    std::int64_t{cpu.tv_sec} * 1'000'000'000 + cpu.tv_nsec, used.ru_nvcsw};
}

} // namespace caf::rosia::detail
