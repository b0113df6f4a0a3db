// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <cstdint>

namespace caf::rosia::detail {

/// The token of an executor, and the state of its calls for other threads. The
/// thread that has the token may call the executor. A signal requests a call.
/// Tests: test/application/execution_test.cpp.
class executor_token {
public:
  // -- from any thread --------------------------------------------------------

  void signal() noexcept {
    // Sequentially consistent, like the load in `give_back`: either that load
    // sees the signal, or the caller finds the token free.
    signalled_.store(true, std::memory_order_seq_cst);
  }

  /// @returns false if another thread has the token.
  bool take() noexcept {
    return !taken_.exchange(true, std::memory_order_seq_cst);
  }

  /// Returns whether the executor was signalled and does not run yet.
  bool waits_for_worker() const noexcept {
    return signalled_.load(std::memory_order_relaxed)
           && !running_.load(std::memory_order_relaxed);
  }

  /// Returns whether no call runs, or one that is expected to end soon.
  bool is_free_soon(std::int64_t now) const noexcept {
    return !running_.load(std::memory_order_relaxed)
           || now - began_.load(std::memory_order_relaxed) <= longest_call;
  }

  // -- with the token ---------------------------------------------------------

  /// Gives the token back. @returns false if there is more to do, and the
  /// caller has the token again.
  bool give_back() noexcept {
    taken_.store(false, std::memory_order_seq_cst);
    return !signalled_.load(std::memory_order_seq_cst) || !take();
  }

  /// Gives the token of an executor without nodes back. Discards all signals.
  void give_back_idle() noexcept {
    do
      signalled_.store(false, std::memory_order_seq_cst);
    while (!give_back());
  }

  /// Removes the signal, because a call begins.
  void take_signal() noexcept {
    // Acquire: makes the work announced by the signal visible.
    signalled_.exchange(false, std::memory_order_seq_cst);
  }

  /// Sets the elapsed time at which the last call began.
  void began(std::int64_t now) noexcept {
    began_.store(now, std::memory_order_relaxed);
  }

  /// Sets whether the executor runs, or waits for a take-over.
  void running(bool x) noexcept {
    running_.store(x, std::memory_order_relaxed);
  }

private:
  /// The time, in nanoseconds, after which a call that still runs is not
  /// expected to end soon.
  static constexpr std::int64_t longest_call = 1'000'000;

  std::atomic<bool> signalled_{false};
  std::atomic<bool> taken_{false};
  std::atomic<bool> running_{false};
  std::atomic<std::int64_t> began_{0};
};

} // namespace caf::rosia::detail
