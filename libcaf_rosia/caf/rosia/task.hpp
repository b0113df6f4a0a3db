// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/fwd.hpp"
#include "caf/rosia/logical_time.hpp"

#include <concepts>
#include <coroutine>
#include <exception>
#include <utility>

namespace caf::rosia {

namespace detail {

/// The library's internal interface of a task.
struct task_access {
  /// Runs a task as (part of) a reaction of `owner`, until it ends or yields.
  /// If it yields, the engine owns it.
  /// @throws the exceptions of the task, except that of `end_reaction`.
  static void run(task code, engine::node& owner);

  /// Resumes the task of this token, which the engine held.
  static void resume(void* token);

  /// Destroys the task of this token, which the engine held.
  static void discard(void* token) noexcept;
};

} // namespace detail

/// Ends the calling reaction, without an error. In a coroutine it ends the
/// running instance. It throws a type of the library that is not a
/// `std::exception`; code between must not swallow it with `catch (...)`.
[[noreturn]] void end_reaction();

/// The result of a reaction, or of `start()`, that yields logical time:
///
/// ~~~
/// rosia::task start() {
///   output(1);
///   co_await rosia::after(1s);
///   output(2);
/// }
/// ~~~
///
/// A task may also await another task, which then runs as a part of it.
class [[nodiscard]] task {
public:
  // -- member types -----------------------------------------------------------

  class promise_type;

  using handle = std::coroutine_handle<promise_type>;

  // -- constructors, destructors, and assignment operators --------------------

  /// Makes a task that has finished.
  task() noexcept = default;

  task(task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {
    // nop
  }

  task& operator=(task&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }

  ~task() {
    if (handle_)
      handle_.destroy();
  }

private:
  friend struct detail::task_access;

  explicit task(handle h) noexcept : handle_(h) {
    // nop
  }

  static void proceed(promise_type& innermost);

  static void finish_or_release(promise_type& root);

  handle handle_;
};

/// The compiler's interface to a coroutine that returns a task.
class task::promise_type {
public:
  // -- requirements of the language
  // --------------------------------------------

  task get_return_object() noexcept {
    return task{handle::from_promise(*this)};
  }

  std::suspend_always initial_suspend() noexcept {
    return {};
  }

  auto final_suspend() noexcept {
    struct awaiter {
      bool await_ready() noexcept {
        return false;
      }
      void await_suspend(handle h) noexcept {
        auto& self = h.promise();
        self.root_->next_ = self.parent_;
      }
      void await_resume() noexcept {
        // nop
      }
    };
    return awaiter{};
  }

  void return_void() noexcept {
    // nop
  }

  void unhandled_exception() {
    error_ = std::current_exception();
    if (!error_)
      throw; // the end of the thread, which is no exception of C++
  }

  // -- objects that a task can await
  // -------------------------------------------

  /// Resumes at the current tag + `d`, which must be a later tag [3.8].
  auto await_transform(const delay& d) noexcept {
    struct awaiter {
      delay duration;
      bool await_ready() noexcept {
        return false;
      }
      void await_suspend(handle h) {
        h.promise().wait(duration);
      }
      void await_resume() noexcept {
        // nop
      }
    };
    return awaiter{d};
  }

  /// Runs another task to its end.
  auto await_transform(task&& other) noexcept {
    struct awaiter {
      task child;
      bool await_ready() noexcept {
        return !child.handle_;
      }
      void await_suspend(handle h) noexcept {
        auto& caller = h.promise();
        auto& callee = child.handle_.promise();
        callee.parent_ = &caller;
        callee.root_ = caller.root_;
        callee.holder_ = &child;
        caller.root_->next_ = &callee;
      }
      void await_resume() {
        if (child.handle_ && child.handle_.promise().error_)
          std::rethrow_exception(child.handle_.promise().error_);
      }
    };
    return awaiter{std::move(other)};
  }

  template <class T>
    requires(!std::convertible_to<T&&, const delay&> && !std::same_as<T, task>)
  std::suspend_never await_transform(T&&) {
    static_assert(sizeof(T) == 0, "a rosia::task can await rosia::after(...), "
                                  "or another rosia::task, and nothing else");
    return {};
  }

private:
  friend class task;
  friend struct detail::task_access;

  void wait(const delay& d);

  engine::node* owner_ = nullptr; // of the root only
  promise_type* root_ = this;
  promise_type* parent_ = nullptr;
  promise_type* next_ = nullptr; // of the root only: the next one to run in
                                 // `proceed`
  task* holder_ = nullptr;       // destroys it; null for the root
  std::exception_ptr error_;
};

} // namespace caf::rosia
