// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "base/signal_watch.hpp"

namespace test {

/// While it lives, every signal is a request of its own, however soon it
/// follows another one. At most one exists at a time.
class distinct_signals {
public:
  distinct_signals() {
    signal_watch::set_same_request_time({});
  }

  distinct_signals(const distinct_signals&) = delete;

  distinct_signals& operator=(const distinct_signals&) = delete;

  ~distinct_signals() {
    signal_watch::set_same_request_time(signal_watch::same_request_time);
  }

private:
  using signal_watch = caf::rosia::detail::signal_watch;
};

} // namespace test
