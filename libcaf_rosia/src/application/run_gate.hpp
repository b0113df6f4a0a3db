// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>

namespace caf::rosia::detail {

/// Knows whether a thread is in `run()` of an application. Shared with that
/// thread, because the application may be destroyed as soon as none is.
class run_gate {
public:
  /// Lets the thread that runs the application in, as long as this lives.
  class visit {
  public:
    /// @throws std::logic_error if a thread is in already.
    explicit visit(std::shared_ptr<run_gate> gate);

    visit(const visit&) = delete;

    visit& operator=(const visit&) = delete;

    ~visit();

    /// False if the gate was closed before.
    bool may_start() const noexcept {
      return may_start_;
    }

  private:
    std::shared_ptr<run_gate> gate_;
    bool may_start_ = false;
  };

  bool is_busy() const;

  /// Whether a thread is or was in, or the gate was closed.
  bool was_used() const;

  /// Closes the gate, unless a thread is in. @returns whether it is closed.
  bool close();

  /// Waits until no thread is in.
  void await();

private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool busy_ = false;
  bool visited_ = false;
  bool closed_ = false;
};

} // namespace caf::rosia::detail
