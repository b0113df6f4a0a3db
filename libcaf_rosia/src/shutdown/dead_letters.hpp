// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/shutdown/shutdown.hpp"
#include "shutdown/observed_actor.hpp"
#include "shutdown/shutdown_state.hpp"

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

namespace caf::rosia::detail {

/// The messages that actors leave unread at their exits. The shutdown's lock
/// protects it, except for `are_wanted`. Tests:
/// test/shutdown/draining_test.cpp.
class dead_letters {
public:
  /// The messages that an actor leaves unread if its exit message ends it.
  struct leftover {
    std::size_t unread = 0;
    std::vector<letter> letters = {}; // empty without subscribers
  };

  explicit dead_letters(shutdown_state& state) : state_(state) {
    // nop
  }

  void subscribe(std::function<void(const dead_letter&)> subscriber);

  /// Returns whether there is a subscriber. From any thread, without the lock.
  bool are_wanted() const noexcept {
    return are_wanted_;
  }

  /// Notes the unread messages of an actor that handles its exit message.
  /// @returns the previous note, to be destroyed without the lock.
  leftover expect(const observed_actor& actor, leftover messages);

  /// Removes the note of an actor that survived its exit message, or ended.
  /// @returns the note, if there was one.
  leftover take(const observed_actor& actor);

  /// Counts the messages of an actor that ended, and calls the subscribers.
  /// @param held unlocked while they run.
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
