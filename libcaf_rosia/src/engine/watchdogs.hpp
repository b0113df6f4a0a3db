// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/port_state.hpp"
#include "caf/rosia/inspect.hpp"
#include "caf/rosia/logical_time.hpp"
#include "engine/code_counts.hpp"

#include <atomic>
#include <cstdint>
#include <deque>
#include <limits>
#include <string>
#include <string_view>

namespace caf::rosia::engine {

class node;

/// The content of a watchdog's events: the event at which it is present, and in
/// a checkpoint that of its expiry while it runs.
struct watchdog_event {
  bool runs = false;

  template <class Inspector>
  friend auto inspect(Inspector& f, watchdog_event& x) {
    return inspect_members(f, x, x.runs);
  }
};

/// A watchdog of a node. The thread that runs the node changes it. Any thread
/// may read its expiry and its count. Tests:
/// test/engine/watchdog_rules_test.cpp.
struct watchdog {
  /// The expiry of a watchdog that does not run.
  static constexpr std::int64_t stopped = -1;

  watchdog(input& state, std::uint32_t number, std::int64_t time,
           bool handled) noexcept
    : action(&state), index(number), timeout(time), has_handler(handled) {
    // nop
  }

  bool runs() const noexcept {
    return expiry.load(std::memory_order_relaxed) != stopped;
  }

  /// Returns the tag of its expiry. @pre `runs()`
  logical_time expiry_tag() const noexcept {
    return {expiry.load(std::memory_order_relaxed), 0};
  }

  void set(std::int64_t x) noexcept {
    expiry.store(x, std::memory_order_relaxed);
  }

  input* action;        // is present once after each expiry
  std::uint32_t index;  // of the action, in the order of declaration
  std::int64_t timeout; // in nanoseconds
  bool has_handler;
  std::atomic<std::int64_t> expiry{stopped}; // in nanoseconds since the start
  counter expiries;
};

/// The watchdogs of a node, in the order of declaration: section 10.8 of the
/// semantics. Tests: test/engine/watchdog_rules_test.cpp.
class watchdogs {
public:
  void add(input& action, std::uint32_t index, std::int64_t timeout,
           bool has_handler) {
    all_.emplace_back(action, index, timeout, has_handler);
  }

  /// Returns the watchdog with this action. @pre There is one.
  watchdog& find(std::uint32_t action) noexcept;

  /// Returns the watchdog that expires first, of several the one that was
  /// declared first. Null if none runs.
  watchdog* first() noexcept;

  /// Gives all of them a timeout that never ends. Called before the start.
  void never_expire() noexcept {
    for (auto& x : all_)
      x.timeout = std::numeric_limits<std::int64_t>::max();
  }

  void stop_all() noexcept {
    for (auto& x : all_)
      x.set(watchdog::stopped);
  }

  /// Returns the earliest expiry; `forever` if none runs.
  logical_time next_expiry() noexcept;

  auto begin() const noexcept {
    return all_.begin();
  }

  auto end() const noexcept {
    return all_.end();
  }

private:
  std::deque<watchdog> all_; // they cannot be moved
};

/// Returns the name of a watchdog's handler among the pieces of code of a node.
std::string handler_name(std::string_view watchdog);

/// Notes that this thread runs the code of a node with watchdogs, which may
/// start and stop them. Other threads may not, even while that code runs.
/// Tests: test/engine/watchdog_rules_test.cpp.
class watchdog_scope {
public:
  explicit watchdog_scope(const node& x) noexcept;

  watchdog_scope(const watchdog_scope&) = delete;

  watchdog_scope& operator=(const watchdog_scope&) = delete;

  ~watchdog_scope();

  /// Returns whether this thread runs the code of `x`.
  static bool covers(const node& x) noexcept;

private:
  const node* previous_;
};

} // namespace caf::rosia::engine
