// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"

#include <atomic>
#include <cstdint>

namespace caf::rosia::engine {

/// The running piece of a node's code, or the last one. Tests:
/// test/engine/snapshot_test.cpp.
struct activity {
  static constexpr std::uint32_t start_code = ~std::uint32_t{0};

  static constexpr std::uint32_t shutdown_code = start_code - 1;

  /// The code of the handler of the watchdog with the action 0.
  static constexpr std::uint32_t first_handler = std::uint32_t{1} << 31;

  static constexpr bool is_handler(std::uint32_t code) noexcept {
    return code >= first_handler && code < shutdown_code;
  }

  /// The number of pieces that were started; 0 before `start()`.
  std::uint64_t count = 0;

  /// `start_code`, `shutdown_code`, the index of a reaction, or
  /// `first_handler` plus the index of a watchdog's action.
  std::uint32_t code = start_code;

  /// Whether the code is running.
  bool running = false;

  logical_time tag{};

  /// The start time, in nanoseconds since the common start.
  std::int64_t since = 0;
};

/// The activity of a node, for observers. The thread that runs the node writes
/// it. Any thread may read it, even while the node's code blocks. Tests:
/// test/engine/snapshot_test.cpp.
class activity_cell {
public:
  /// Whether code is running, and its kind.
  enum class mode : std::uint8_t {
    idle,
    /// `start()` or a reaction: it may write, wait and request.
    executing,
    /// Other code, which may do none of these.
    other,
  };

  static constexpr std::uint64_t versions_per_piece = 2;

  [[gnu::always_inline]] void begin(
    std::uint32_t code, const logical_time& tag, mode current) noexcept {
    auto n = version_.load(std::memory_order_relaxed);
    // An odd version tells readers to wait.
    version_.store(n + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    ns_.store(tag.ns, std::memory_order_relaxed);
    microstep_.store(tag.microstep, std::memory_order_relaxed);
    code_.store(code, std::memory_order_relaxed);
    mode_.store(current, std::memory_order_relaxed);
    version_.store(n + versions_per_piece, std::memory_order_release);
  }

  void end() noexcept {
    mode_.store(mode::idle, std::memory_order_relaxed);
  }

  /// Sets the start time of the next pieces of code. Called while none runs.
  void set_time(std::int64_t since) noexcept {
    since_.store(since, std::memory_order_relaxed);
  }

  std::int64_t time() const noexcept {
    return since_.load(std::memory_order_relaxed);
  }

  activity read() const noexcept {
    activity result;
    for (;;) {
      auto n = version_.load(std::memory_order_acquire);
      result.tag.ns = ns_.load(std::memory_order_relaxed);
      result.tag.microstep = microstep_.load(std::memory_order_relaxed);
      result.since = since_.load(std::memory_order_relaxed);
      result.code = code();
      result.running = current_mode() != mode::idle;
      std::atomic_thread_fence(std::memory_order_acquire);
      if (n % 2 != 0 || version_.load(std::memory_order_relaxed) != n)
        continue;
      result.count = n / versions_per_piece;
      return result;
    }
  }

  /// Returns the number of pieces of code that were started.
  std::uint64_t count() const noexcept {
    return version() / versions_per_piece;
  }

  /// Returns a number that differs for each piece of code.
  std::uint64_t version() const noexcept {
    return version_.load(std::memory_order_relaxed);
  }

  /// Returns the running piece of code, or the last one.
  std::uint32_t code() const noexcept {
    return code_.load(std::memory_order_relaxed);
  }

  mode current_mode() const noexcept {
    return mode_.load(std::memory_order_relaxed);
  }

private:
  std::atomic<std::uint64_t> version_{0};
  std::atomic<std::int64_t> ns_{0};
  std::atomic<std::int64_t> since_{0};
  std::atomic<std::uint32_t> microstep_{0};
  std::atomic<std::uint32_t> code_{activity::start_code};
  std::atomic<mode> mode_{mode::idle};
};

} // namespace caf::rosia::engine
