// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "shutdown/process_end.hpp"

#include "base/duration.hpp"
#include "base/exit_status.hpp"
#include "base/text.hpp"

#include <cstdlib>

#include <spdlog/spdlog.h>

namespace caf::rosia::detail {

namespace {

/// Time to log why the process ends, after the deadline.
constexpr std::chrono::seconds time_to_log{2};

} // namespace

process_end::process_end(shutdown_state& state) : state_(state) {
  if (state_.options().end_process)
    thread_
      = std::jthread{[this](const std::stop_token& token) { run(token); }};
}

void process_end::schedule() {
  if (auto end = state_.latest_end())
    schedule(*end);
}

void process_end::schedule(clock::time_point deadline) {
  set(deadline, std::nullopt);
}

void process_end::schedule(clock::time_point deadline, int status) {
  set(deadline, status);
}

void process_end::cancel() {
  std::unique_lock guard{mutex_};
  time_ = clock::time_point::max();
  changed_.notify_all();
  changed_.wait(guard, [this] { return !running_; });
}

void process_end::close() {
  thread_ = {};
}

void process_end::end(int status) {
  if (state_.options().end_process)
    state_.log().critical("the process ends with status {}", status);
  state_.flush_log();
  if (state_.options().end_process)
    std::_Exit(status);
}

int process_end::map(int status, bool* refused) const {
  auto& map_status = state_.options().map_status;
  if (!map_status)
    return status;
  // The reason was set when the shutdown began, and does not change.
  auto result = map_status(status, state_.course.reason());
  if (is_exit_status(result))
    return result;
  if (refused != nullptr)
    *refused = true;
  return status_error;
}

void process_end::set(clock::time_point deadline, std::optional<int> status) {
  std::lock_guard guard{mutex_};
  time_ = add_saturated(deadline, time_to_log);
  status_ = status;
  changed_.notify_all();
}

void process_end::run(const std::stop_token& token) {
  std::unique_lock guard{mutex_};
  while (!token.stop_requested()) {
    auto time = time_;
    auto is_changed = [&] { return time_ != time; };
    if (time == clock::time_point::max()) {
      changed_.wait(guard, token, is_changed);
    } else if (clock::now() < time) {
      changed_.wait_until(guard, token, time, is_changed);
    } else {
      running_ = true;
      auto status = status_;
      guard.unlock();
      std::_Exit(status ? *status : map(status_deadline));
    }
  }
}

} // namespace caf::rosia::detail
