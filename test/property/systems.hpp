// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf_version.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace property {

/// Actor systems with different numbers of threads and policies. Each is made
/// at its first use, and used by many runs.
class systems {
public:
  /// May be called from any thread.
  caf::actor_system& get(std::uint32_t threads, bool stealing) {
    std::lock_guard guard{mutex_};
    auto& x = all_[{threads, stealing}];
    if (!x)
      x = std::make_unique<entry>(threads, stealing);
    return x->system;
  }

private:
  struct entry {
    entry(std::uint32_t threads, bool stealing)
      : config(threads, stealing), system(config) {
      // nop
    }

    struct settings : caf::actor_system_config {
      settings(std::uint32_t threads, bool stealing) {
        test::set_caf_option(*this, "scheduler.max-threads", threads);
        test::set_policy(*this, stealing ? "stealing" : "sharing");
        // Otherwise a run would usually wait for workers that sleep.
        test::set_caf_option(*this, "work-stealing.relaxed-sleep-duration",
                             caf::timespan{std::chrono::microseconds{100}});
      }
    };

    settings config;
    caf::actor_system system;
  };

  std::mutex mutex_;
  std::map<std::pair<std::uint32_t, bool>, std::unique_ptr<entry>> all_;
};

} // namespace property
