// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "runtime/group_load.hpp"
#include "runtime/grouping.hpp"

#include <atomic>
#include <cstdint>

namespace caf::rosia::detail {

/// The rules by which nodes move between executors.
enum class node_exchange : std::uint8_t {
  /// Nodes stay.
  none,
  /// Light neighbours are joined, and heavy nodes are separated. A loop is
  /// divided once if its nodes are not light.
  by_load,
  /// Nodes stay, except that a loop is divided if its nodes are not light.
  by_division,
  /// Nodes move at random, for tests. Only speed may depend on it.
  at_random,
};

/// The load of an executor's nodes, and the rules by which they are exchanged.
/// Used with the executor's token; any thread may read the atomic members and
/// the rules. Tests: test/application/groups_test.cpp.
struct executor_load {
  executor_load(node_exchange manner, std::uint32_t seed) noexcept
    : light(manner == node_exchange::at_random), rules(manner), random(seed) {
    // nop
  }

  /// Returns whether the executor exchanges nodes.
  bool exchanges() const noexcept {
    return rules == node_exchange::by_load || rules == node_exchange::at_random;
  }

  /// Returns whether to measure the next call.
  /// @param is_part whether the nodes are a part of a divided loop.
  bool wants_time(bool is_part) noexcept {
    return (rules == node_exchange::by_load
            || (rules == node_exchange::by_division && !is_part))
           && nodes.wants_time();
  }

  /// Records a measured call: see `group_load::note`.
  void note(std::uint64_t tags, std::int64_t ns, std::size_t count) noexcept {
    nodes.note(tags, ns, count);
    light.store(nodes.light(), std::memory_order_relaxed);
    quick.store(rules == node_exchange::by_load && nodes.mean() <= quick_tag,
                std::memory_order_relaxed);
  }

  /// Measures again, because the nodes changed.
  /// @param heavy see `group_load::reset`.
  void reset(unsigned heavy = 0) noexcept {
    nodes.reset(heavy);
    quick.store(false, std::memory_order_relaxed);
  }

  /// Measures again without nodes that were heavy.
  void forget_heavy() noexcept {
    nodes.forget_heavy();
    quick.store(false, std::memory_order_relaxed);
  }

  /// Records a call, whether it was measured or not.
  void note_call(bool executed) noexcept {
    if (rules != node_exchange::by_load)
      return;
    nodes.note_call(executed);
    calm.store(nodes.calm(), std::memory_order_relaxed);
  }

  /// Returns whether the nodes executed nothing yet, or nothing in many calls.
  bool is_silent() const noexcept {
    return !nodes.light() && (nodes.presumed_light() || nodes.calm());
  }

  /// Returns whether the nodes may be executed together with neighbours. From
  /// any thread.
  bool joins() const noexcept {
    return light.load(std::memory_order_relaxed)
           || calm.load(std::memory_order_relaxed);
  }

  bool wants_neighbours() noexcept {
    return rules == node_exchange::by_load
             ? nodes.wants_neighbours() || nodes.wants_calm_neighbours()
             : random_number() % 4 == 0;
  }

  std::uint32_t random_number() noexcept {
    // Marsaglia's xorshift.
    random ^= random << 13;
    random ^= random >> 17;
    random ^= random << 5;
    return random;
  }

  std::atomic<bool> light;        // for neighbours
  std::atomic<bool> calm{false};  // for neighbours
  std::atomic<bool> quick{false}; // for neighbours
  const node_exchange rules;
  bool measured_each = false; // in the last call
  std::uint32_t random;
  group_load nodes;
};

} // namespace caf::rosia::detail
