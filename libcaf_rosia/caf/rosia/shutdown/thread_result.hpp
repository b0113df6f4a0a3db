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

/// Thrown if a thread of a shutdown has no result: the shutdown finished before
/// the thread was started, or before its function returned.
class no_thread_result : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

namespace detail {

/// The progress of a thread. The thread, its handle and the shutdown share it.
class thread_progress {
public:
  thread_progress() = default;

  thread_progress(const thread_progress&) = delete;

  thread_progress& operator=(const thread_progress&) = delete;

  virtual ~thread_progress();

  /// @pre No other thread uses it yet.
  void set_name(std::string name) {
    name_ = std::move(name);
  }

  const std::string& name() const noexcept {
    return name_;
  }

  /// Marks the thread as finished, so that its result can be taken. Without
  /// effect if it was refused.
  void publish();

  /// Marks the thread as one without a result. Without effect if it has
  /// finished.
  void refuse(std::string reason);

  /// Returns whether the thread has finished or was refused.
  bool is_ready() const;

  void wait() const;

  /// @returns `is_ready()`.
  bool wait_for(physical_time_span timeout) const;

  /// Waits until the result can be taken.
  /// @throws no_thread_result if the thread was refused.
  void require() const;

private:
  enum class stage : std::uint8_t { pending, published, refused };

  std::string name_;
  mutable std::mutex mutex_; // protects the members below
  mutable std::condition_variable changed_;
  stage stage_ = stage::pending;
  std::string reason_;
};

/// The result or the exception of a thread's function.
template <class T>
class thread_outcome final : public thread_progress {
public:
  /// Runs the function. Called in the thread.
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

  /// Returns the result. Called once.
  /// @pre `require` has returned.
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

/// A thread to be started.
struct thread_start {
  std::shared_ptr<thread_progress> progress;
  std::function<void(std::stop_token)> code;
};

/// A thread to be started, and its result.
template <class Result>
struct made_thread {
  thread_start start;
  Result result;
};

template <class Result, class F>
made_thread<Result> make_thread(F code);

} // namespace detail

/// The result of the function that a thread of a `shutdown` runs, like a
/// `std::future`. Neither the destructor nor an assignment waits: the thread
/// continues, and its result is lost. Movable; used by one thread at a time.
template <class T>
class thread_result {
public:
  /// Makes an invalid result, without a thread.
  thread_result() noexcept = default;

  /// Returns whether there is a thread whose result was not taken yet.
  bool valid() const noexcept {
    return outcome_ != nullptr;
  }

  /// Returns the thread's name, as reports show it: "feed", or "NAME/feed" if a
  /// guard spawned it.
  /// @throws std::logic_error if this is not valid, like all functions below.
  const std::string& name() const {
    return outcome().name();
  }

  /// Returns whether `get` would return at once. If so, the thread has
  /// finished, its function is destroyed, and the shutdown has begun if this
  /// thread's end begins it.
  bool is_ready() const {
    return outcome().is_ready();
  }

  /// Waits until the thread is ready, at most until the shutdown has finished.
  void wait() const {
    outcome().wait();
  }

  /// @returns whether the thread is ready.
  bool wait_for(physical_time_span timeout) const {
    return outcome().wait_for(timeout);
  }

  /// Waits until the thread is ready, and takes its result. Afterwards this is
  /// not valid.
  /// @returns the function's return value.
  /// @throws the function's exception; `no_thread_result` if the shutdown
  /// finished before the thread was started or returned.
  T get() {
    static_cast<void>(outcome());
    auto taken = std::exchange(outcome_, nullptr);
    taken->require();
    return taken->take();
  }

private:
  template <class Result, class F>
  friend detail::made_thread<Result> detail::make_thread(F code);

  using outcome_type = detail::thread_outcome<T>;

  explicit thread_result(std::shared_ptr<outcome_type> outcome) noexcept
    : outcome_(std::move(outcome)) {
    // nop
  }

  outcome_type& outcome() const {
    if (!outcome_)
      throw std::logic_error(
        "a thread_result without a thread was used: it was "
        "moved from, or its result was taken");
    return *outcome_;
  }

  std::shared_ptr<outcome_type> outcome_;
};

/// The result type of `spawn_thread` and `spawn_temporary` for a function: the
/// function's return type, without reference.
template <class F>
using thread_result_of = thread_result<
  std::remove_cvref_t<std::invoke_result_t<F&, std::stop_token>>>;

namespace detail {

template <class Result, class F>
made_thread<Result> make_thread(F code) {
  auto outcome = std::make_shared<typename Result::outcome_type>();
  // `std::function` copies its target, but `F` may not be copyable.
  auto shared = std::make_shared<F>(std::move(code));
  auto call = [outcome, shared](std::stop_token token) {
    outcome->call(*shared, std::move(token));
  };
  return {{outcome, std::move(call)}, Result{outcome}};
}

} // namespace detail

} // namespace caf::rosia
