// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "application/run_state.hpp"

#include "runtime/checkpoints.hpp"
#include "runtime/run_context.hpp"
#include "runtime/runtime.hpp"

#include <stdexcept>

namespace caf::rosia::detail {

std::shared_ptr<runtime> run_state::run() const {
  std::lock_guard guard{mutex_};
  return run_;
}

std::pair<std::shared_ptr<runtime>, application_report> run_state::look()
  const {
  std::lock_guard guard{mutex_};
  return {run_, last_report_};
}

// -- requests -----------------------------------------------------------------

bool run_state::wants_end() const {
  std::lock_guard guard{mutex_};
  return end_requested_ || end_aborted_;
}

void run_state::request_end() {
  std::lock_guard guard{mutex_};
  end_requested_ = true;
  if (run_)
    run_->requests().request_end();
}

void run_state::abort(int status) {
  std::lock_guard guard{mutex_};
  end_aborted_ = status;
  if (run_)
    run_->requests().abort(status);
}

std::future<logical_time> run_state::checkpoint() {
  std::lock_guard guard{mutex_};
  if (!run_)
    throw std::logic_error("checkpoint() while the application does not run");
  return run_->context().checkpoints()->request();
}

// -- listeners ----------------------------------------------------------------

void run_state::on_start(std::function<void()> fun) {
  std::lock_guard guard{mutex_};
  on_start_.push_back(std::move(fun));
}

void run_state::on_over(listener fun) {
  std::unique_lock guard{mutex_};
  if (is_over()) {
    guard.unlock();
    fun(outcome_);
  } else {
    on_over_.push_back(std::move(fun));
  }
}

void run_state::announce_start() {
  std::unique_lock guard{mutex_};
  auto listeners = std::exchange(on_start_, {});
  guard.unlock();
  for (auto& call : listeners)
    call();
}

void run_state::announce(const application_outcome& result) {
  std::unique_lock guard{mutex_};
  auto listeners = std::exchange(on_over_, {});
  guard.unlock();
  for (auto& call : listeners)
    call(result);
}

// -- the run ------------------------------------------------------------------

void run_state::begin(std::shared_ptr<runtime> run) {
  std::lock_guard guard{mutex_};
  run_ = std::move(run);
  if (end_aborted_)
    run_->requests().abort(*end_aborted_);
  else if (end_requested_)
    run_->requests().request_end();
  phase_ = phase::running;
}

void run_state::fail() {
  std::lock_guard guard{mutex_};
  run_.reset();
}

void run_state::finish(application_report last, int status) {
  std::unique_lock guard{mutex_};
  run_.reset();
  last_report_ = std::move(last);
  phase_ = phase::over;
  outcome_.status = status;
  if (status != 0)
    outcome_.error = last_report_.reason;
  guard.unlock();
  announce(outcome_);
}

} // namespace caf::rosia::detail
