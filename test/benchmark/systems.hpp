// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/config.hpp"
#include "caf/rosia/options.hpp"

#include "caf_version.hpp"

#include <caf/actor_system.hpp>

#include <cstddef>

namespace bench {

/// An actor system as made by `exec_main`, for both Rosia and bare CAF.
struct system_scope {
  system_scope() = default;

  /// @param threads number of worker threads.
  explicit system_scope(std::size_t threads)
    : sys((test::set_caf_option(cfg, "scheduler.max-threads", threads), cfg)) {
    // nop
  }

  caf::rosia::config cfg;
  caf::actor_system sys{cfg};
};

/// Returns options for running as fast as possible, without handling signals.
inline caf::rosia::options fast() {
  caf::rosia::options result;
  result.realtime = false;
  result.signals = caf::rosia::signal_behavior::none;
  result.log_level = "error";
  return result;
}

/// Returns options for running in physical time.
inline caf::rosia::options realtime() {
  auto result = fast();
  result.realtime = true;
  return result;
}

} // namespace bench
