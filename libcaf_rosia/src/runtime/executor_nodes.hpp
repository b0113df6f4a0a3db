// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "engine/group.hpp"
#include "runtime/node_command.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace caf::rosia::detail {

class executor;
class node_mailbox;
class node_runner;
class run_context;

/// The nodes of an executor, with the commands and messages that wait for them.
/// Used with the executor's token, except for the atomic members and the lists
/// that the mutex protects. Tests: test/application/groups_test.cpp.
struct executor_nodes {
  struct command {
    node_runner* node;
    node_command content;
  };

  /// Sets the nodes. @pre Their engines are wired.
  void assign(executor& owner, std::vector<node_runner*> xs);

  /// Puts the nodes into a group, unless they are in one.
  void make_group();

  /// Records the group of each node, for observers and the trace.
  void name_group(run_context& run) const;

  void erase(node_runner& x) {
    std::erase(members, &x);
    update_size();
  }

  void update_size() noexcept {
    size.store(
      static_cast<std::uint32_t>(members.size()), std::memory_order_relaxed);
  }

  /// Returns the progress of the nodes: executed tags in a group, pieces of
  /// code otherwise.
  std::uint64_t executed() const noexcept;

  /// Returns the number of messages that the nodes handled.
  std::uint64_t messages() const noexcept;

  bool awaits_promises() const noexcept;

  /// Returns the members of each loop that is executed as a whole, by the
  /// loop's number.
  std::unordered_map<std::uint32_t, std::vector<node_runner*>> find_loops(
    run_context& run) const;

  /// Returns whether a node waits for the rest of its loop, so that the loop
  /// can be divided.
  bool wait_for_loop(run_context& run) const;

  /// Takes all elements of one of the lists that the mutex protects.
  template <class T>
  std::vector<T> take(std::vector<T>& list) {
    std::lock_guard guard{mutex};
    return std::exchange(list, {});
  }

  std::mutex mutex; // protects the next three members
  std::vector<command> commands;
  std::vector<node_mailbox*> mailboxes; // with messages, and a reference each
  std::vector<executor*> joining; // with their tokens, and a reference each

  std::unique_ptr<engine::group> group;       // null until there were several
  std::vector<node_runner*> members;          // without those that left
  std::int64_t timer = engine::node::no_wake; // the next wake-up
  std::uint64_t notices = 0; // the number that all members know
  std::atomic<std::uint32_t> size{0};
  std::atomic<bool> are_part{false}; // of a divided loop: the nodes stay
};

} // namespace caf::rosia::detail
