// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "shutdown/shutdown_state.hpp"

#include "base/duration.hpp"
#include "base/ended_thread.hpp"
#include "base/exception_text.hpp"
#include "base/exit_status.hpp"

#include <utility>

#include <spdlog/spdlog.h>

namespace caf::rosia::detail {

shutdown_state::shutdown_state(shutdown_options opts)
  : course(opts.deadline), options_(std::move(opts)),
    has_backup_(options_.backup != nullptr), log_(options_.log_level),
    logger_(log_.make("shutdown")),
    on_signal_(std::exchange(options_.on_signal, nullptr)),
    backup_(std::exchange(options_.backup, nullptr)) {
  // nop
}

shutdown_state::~shutdown_state() {
  // nop
}

// -- functions without the lock -----------------------------------------------

void shutdown_state::sleep_until(clock::time_point end) const {
  wake_.wait(end == clock::time_point::max()
               ? std::chrono::nanoseconds::max()
               : end - clock::now());
}

// -- functions that take the lock ---------------------------------------------

shutdown_state::lock shutdown_state::acquire_spinning() const {
  constexpr auto attempts = 200;
  for (auto i = 0; i < attempts; ++i)
    if (lock result{mutex_, std::try_to_lock})
      return result;
  return lock{mutex_};
}

bool shutdown_state::begin(shutdown_reason reason, bool by_signal) {
  auto held = acquire();
  if (!course.begin(std::move(reason)))
    return false;
  calls_on_signal_ = by_signal && on_signal_;
  notify();
  return true;
}

bool shutdown_state::has_begun() const {
  auto held = acquire();
  return course.begun_at().has_value();
}

bool shutdown_state::is_aborted() const {
  auto held = acquire();
  return course.aborted_at().has_value();
}

std::function<void()> shutdown_state::take_on_signal() {
  auto held = acquire();
  return std::exchange(on_signal_, nullptr);
}

std::function<void()> shutdown_state::take_backup() {
  auto held = acquire();
  return std::exchange(backup_, nullptr);
}

std::string shutdown_state::run(
  const char* role, const std::string& name, const std::function<void()>& code,
  const failure_handler& on_failure) {
  std::string error;
  try {
    code();
  } catch (...) {
    error = current_exception_text();
    logger_->error("{} '{}' failed: {}", role, name, error);
    {
      auto held = acquire();
      course.worsen_status(status_error);
    }
    if (on_failure)
      on_failure(error);
    hold_end_of_thread();
  }
  return error;
}

void shutdown_state::run_task(
  const std::string& name, const std::function<void()>& code) {
  run("thread", name, code, [&](const std::string& error) {
    {
      auto held = acquire();
      course.add_failure({part_report::kind::thread, name, "threads", error});
    }
    begin({"thread '" + name + "' failed: " + error, status_error});
  });
}

// -- functions under the lock -------------------------------------------------

bool shutdown_state::swap_on_signal(std::function<void()>& handler) {
  if (course.begun_at())
    return false;
  on_signal_.swap(handler);
  return true;
}

std::optional<shutdown_state::clock::time_point> shutdown_state::latest_end()
  const {
  if (!course.begun_at() || course.is_over())
    return std::nullopt;
  auto result = course.aborted_at().value_or(course.deadline_at());
  if (calls_on_signal_)
    result = add_saturated(result, options_.on_signal_timeout);
  if (has_backup_) {
    result = add_saturated(result, options_.backup_timeout);
    // Participants that the backup started have this time as well.
    result = add_saturated(result, options_.grace_period);
  }
  return add_saturated(result, options_.grace_period);
}

void shutdown_state::finish() {
  course.finish();
  over_changed_.notify_all();
}

int shutdown_state::await_over(lock& held) {
  over_changed_.wait(held, [this] { return course.is_over(); });
  return course.status();
}

} // namespace caf::rosia::detail
