// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>

namespace caf::rosia::detail {

/// Records whether a thread executes `run()` of an application. Shared with
/// that thread, because the application may be destroyed as soon as `run()` is
/// finished. Tests: test/application/run_gate_test.cpp.
class run_gate {
public:
  /// Marks `run()` as being executed while it exists.
  class visit {
  public:
    /// @throws std::logic_error if another thread executes `run()`.
    explicit visit(std::shared_ptr<run_gate> gate);

    visit(const visit&) = delete;

    visit& operator=(const visit&) = delete;

    ~visit();

    /// Returns false if the gate was closed before.
    bool may_start() const noexcept {
      return may_start_;
    }

  private:
    std::shared_ptr<run_gate> gate_;
    bool may_start_ = false;
  };

  bool is_busy() const;

  /// Returns whether `run()` was ever called, or the gate was closed.
  bool was_used() const;

  /// Returns whether an exception that was thrown since the application was
  /// created destroys it.
  bool is_unwinding() const noexcept {
    return std::uncaught_exceptions() > exceptions_;
  }

  /// Closes the gate, unless `run()` is being executed.
  /// @returns whether the gate is closed.
  bool close();

  /// Waits until no thread executes `run()`.
  void await();

private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool busy_ = false;
  bool visited_ = false;
  bool closed_ = false;
  const int exceptions_ = std::uncaught_exceptions();
};

} // namespace caf::rosia::detail
