// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/time_span.hpp"

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace caf::rosia {

/// A task of a shutdown has no result: it was not started, because the shutdown
/// was over, or it has not returned before the shutdown was over.
class no_task_result : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

namespace detail {

/// How far a task is. Shared by its thread, its handle and the shutdown.
class task_progress {
public:
  task_progress() = default;

  task_progress(const task_progress&) = delete;

  task_progress& operator=(const task_progress&) = delete;

  virtual ~task_progress();

  /// @pre nobody else has it yet.
  void set_name(std::string name) {
    name_ = std::move(name);
  }

  const std::string& name() const noexcept {
    return name_;
  }

  /// The task is over, and its result may be taken. Without effect if it was
  /// refused.
  void publish();

  /// There will be no result. Without effect if there is one.
  void refuse(std::string reason);

  /// Whether one of both has happened.
  bool is_ready() const;

  void wait() const;

  /// @returns `is_ready()`.
  bool wait_for(physical_time_span timeout) const;

  /// Waits until the result may be taken.
  /// @throws no_task_result if it was refused.
  void require() const;

private:
  enum class stage : std::uint8_t { pending, published, refused };

  std::string name_;
  mutable std::mutex mutex_; // protects what follows
  mutable std::condition_variable changed_;
  stage stage_ = stage::pending;
  std::string reason_;
};

/// What a task has returned or thrown.
template <class T>
class task_outcome final : public task_progress {
public:
  /// In the task's thread.
  template <class F>
  void call(F& code, std::stop_token token) {
    try {
      if constexpr (std::is_void_v<T>)
        std::invoke(code, std::move(token));
      else
        value_.emplace(std::invoke(code, std::move(token)));
    } catch (...) {
      error_ = std::current_exception();
      throw;
    }
  }

  /// @pre `require` has returned. Called once.
  T take() {
    if (error_)
      std::rethrow_exception(error_);
    if constexpr (!std::is_void_v<T>)
      return std::move(*value_);
  }

private:
  std::optional<std::conditional_t<std::is_void_v<T>, std::monostate, T>>
    value_;
  std::exception_ptr error_;
};

/// A task that is to be started.
struct task_start {
  std::shared_ptr<task_progress> progress;
  std::function<void(std::stop_token)> code;
};

/// A task that is to be started, and its result.
template <class Result>
struct made_task {
  task_start start;
  Result result;
};

template <class Result, class F>
made_task<Result> make_task(F code);

} // namespace detail

/// The result of a task of a `shutdown`, like a `std::future`. To drop it, or
/// to assign to it, never waits: the task goes on, and its result is lost.
/// Movable; used by one thread at a time.
template <class T>
class task_result {
public:
  /// Belongs to no task.
  task_result() noexcept = default;

  /// Whether it belongs to a task whose result was not taken.
  bool valid() const noexcept {
    return outcome_ != nullptr;
  }

  /// The task's name, as reports show it: "feed", or "NAME/feed" if a guard has
  /// spawned it.
  /// @throws std::logic_error if it is not valid, like all that follow.
  const std::string& name() const {
    return outcome().name();
  }

  /// Whether `get` returns at once. Then the task is over: what it held is
  /// destroyed, and the shutdown has begun if it begins because of this.
  bool is_ready() const {
    return outcome().is_ready();
  }

  /// Waits until it is ready, at most until the shutdown is over.
  void wait() const {
    outcome().wait();
  }

  /// @returns whether it is ready.
  bool wait_for(physical_time_span timeout) const {
    return outcome().wait_for(timeout);
  }

  /// Waits until it is ready, and takes the result; not valid any more then.
  /// @returns what the task has returned.
  /// @throws what the task has thrown; `no_task_result` if it was not started,
  ///         or has not returned before the shutdown was over.
  T get() {
    static_cast<void>(outcome());
    auto taken = std::exchange(outcome_, nullptr);
    taken->require();
    return taken->take();
  }

private:
  template <class Result, class F>
  friend detail::made_task<Result> detail::make_task(F code);

  using outcome_type = detail::task_outcome<T>;

  explicit task_result(std::shared_ptr<outcome_type> outcome) noexcept
    : outcome_(std::move(outcome)) {
    // nop
  }

  outcome_type& outcome() const {
    if (!outcome_)
      throw std::logic_error(
        "a task_result without a task was used: it was "
        "moved from, or its result was taken");
    return *outcome_;
  }

  std::shared_ptr<outcome_type> outcome_;
};

/// What `spawn_task` and `spawn_temporary` return for a function: a result of
/// its return type, without reference.
template <class F>
using task_result_of
  = task_result<std::remove_cvref_t<std::invoke_result_t<F&, std::stop_token>>>;

namespace detail {

template <class Result, class F>
made_task<Result> make_task(F code) {
  auto outcome = std::make_shared<typename Result::outcome_type>();
  // It may be something that cannot be copied.
  auto shared = std::make_shared<F>(std::move(code));
  auto call = [outcome, shared](std::stop_token token) {
    outcome->call(*shared, std::move(token));
  };
  return {{outcome, std::move(call)}, Result{outcome}};
}

} // namespace detail

} // namespace caf::rosia
