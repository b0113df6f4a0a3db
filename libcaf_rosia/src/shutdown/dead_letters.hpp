// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/observed_actor.hpp"
#include "shutdown/shutdown_state.hpp"

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

namespace caf::rosia::detail {

/// The messages that actors leave unread when they exit. The shutdown's lock
/// protects it, except for `are_wanted`.
class dead_letters {
public:
  /// What an actor leaves unread if the exit that it handles ends it.
  struct leftover {
    std::size_t unread = 0;
    std::vector<letter> letters = {}; // none if nobody wants them
  };

  explicit dead_letters(shutdown_state& state) : state_(state) {
    // nop
  }

  void subscribe(std::function<void(const dead_letter&)> subscriber);

  /// Whether somebody has subscribed. From any thread, without the lock.
  bool are_wanted() const noexcept {
    return are_wanted_;
  }

  /// An actor handles its exit.
  /// @returns what was noted before, to be destroyed without the lock.
  leftover expect(const observed_actor& actor, leftover messages);

  /// The actor has survived its exit, or has ended.
  /// @returns what was noted, if anything was.
  leftover take(const observed_actor& actor);

  /// An actor has ended: counts the messages, and calls the subscribers.
  /// @param held is free while they run.
  void publish(const std::string& name, const leftover& messages,
               shutdown_state::lock& held);

  std::size_t count() const noexcept {
    return count_;
  }

private:
  shutdown_state& state_;
  std::atomic<bool> are_wanted_ = false;
  std::deque<std::function<void(const dead_letter&)>> subscribers_;
  std::unordered_map<const observed_actor*, leftover> expected_;
  std::size_t count_ = 0;
};

} // namespace caf::rosia::detail
