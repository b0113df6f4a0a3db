// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "shutdown/stop_limit.hpp"

#include "base/duration.hpp"
#include "base/last_words.hpp"

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <system_error>

namespace caf::rosia::detail {

void stop_limit::begin() {
  auto wait = [this](const std::stop_token& token) {
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock guard{mutex};
    auto end = add_saturated(std::chrono::steady_clock::now(), limit_);
    auto never = [] { return false; };
    if (end == std::chrono::steady_clock::time_point::max())
      stopped.wait(guard, token, never);
    else
      stopped.wait_until(guard, token, end, never);
    if (!token.stop_requested())
      end_process(status_, late_stop_text(limit_, status_));
  };
  try {
    thread_ = std::jthread{wait};
  } catch (const std::system_error&) {
    return; // threads are exhausted
  }
}

} // namespace caf::rosia::detail
