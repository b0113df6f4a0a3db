// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/thread_usage.hpp"

#include <sys/resource.h>

namespace caf::rosia::detail {

thread_usage thread_usage::now() noexcept {
  rusage used{};
  getrusage(RUSAGE_THREAD, &used);
  auto ns = [](const timeval& x) {
    return std::int64_t{x.tv_sec} * 1'000'000'000
           + std::int64_t{x.tv_usec} * 1'000;
  };
  return {ns(used.ru_utime) + ns(used.ru_stime), used.ru_nvcsw};
}

} // namespace caf::rosia::detail
