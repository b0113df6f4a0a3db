// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "base/signal_watch.hpp"

namespace test {

/// While this object exists, every signal counts as a separate request, even if
/// it soon follows another signal. At most one exists at a time.
class distinct_signals {
public:
  distinct_signals() {
    signal_watch::for_tests.same_request_time = std::chrono::nanoseconds{0};
  }

  distinct_signals(const distinct_signals&) = delete;

  distinct_signals& operator=(const distinct_signals&) = delete;

  ~distinct_signals() {
    signal_watch::for_tests.same_request_time = signal_watch::same_request_time;
  }

private:
  using signal_watch = caf::rosia::detail::signal_watch;
};

} // namespace test
