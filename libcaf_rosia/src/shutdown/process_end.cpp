// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "shutdown/process_end.hpp"

#include "base/duration.hpp"
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
    last_resort_.emplace();
}

void process_end::schedule() {
  if (auto end = state_.latest_end())
    schedule(*end);
}

void process_end::schedule(clock::time_point deadline) {
  if (last_resort_)
    last_resort_->set(add_saturated(deadline, time_to_log), [this] {
      std::_Exit(map(status_deadline));
    });
}

void process_end::schedule(clock::time_point deadline, int status) {
  if (last_resort_)
    last_resort_->set(add_saturated(deadline, time_to_log), [status] {
      std::_Exit(status);
    });
}

void process_end::cancel() {
  if (last_resort_)
    last_resort_->call_off();
}

void process_end::close() {
  last_resort_.reset();
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
  auto result = map_status(status, state_.reason());
  if (is_exit_status(result))
    return result;
  if (refused != nullptr)
    *refused = true;
  return status_error;
}

} // namespace caf::rosia::detail
