// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace caf::rosia::detail {

class executor;
class seating;

/// Lets an executor take over the nodes of light neighbours, or wait until a
/// neighbour takes its nodes over. Used with the executor's token. Tests:
/// test/application/groups_test.cpp.
class node_takeover {
public:
  /// @param self the owner of this object.
  /// @param number differs from those of the run's other executors.
  node_takeover(executor& self, std::size_t number)
    : self_(self), number_(static_cast<std::uint32_t>(number)) {
    // nop
  }

  // -- seating ----------------------------------------------------------------

  /// Sets the seating that joins nodes after their first tag; null if the
  /// executor does not take part.
  void seat_later(std::shared_ptr<seating> all) noexcept {
    seating_ = std::move(all);
  }

  /// Schedules the executor, which then takes over the nodes of `others`.
  /// @param all the executors of the seating, including those whose nodes
  ///        executed nothing.
  /// @pre The executor and `others` wait, with their tokens and a reference
  ///      each.
  void seat(std::vector<executor*> others, std::shared_ptr<seating> all);

  /// Returns whether the executor takes part in a seating that continues.
  bool awaits_seat() const noexcept {
    return seating_ != nullptr;
  }

  // -- calls ------------------------------------------------------------------

  /// Takes over the nodes of executors that wait for this one, and of the idle
  /// ones of its seating.
  void take_joined();

  /// Takes over the nodes of idle neighbours, if it is time to look for some.
  /// @returns whether the nodes must be called again.
  bool absorb_neighbours();

  /// Returns whether the executor looks for neighbours in this call.
  bool looks_around() const noexcept {
    return looks_around_;
  }

  /// Waits, with the token, for a take-over, if one is likely. @returns whether
  /// the executor waits; if so, the caller must not access it again.
  bool wait();

private:
  /// Waits for the nodes that start at the same time, if the node is light and
  /// executed its first tag. @returns see `wait`.
  bool wait_for_others();

  /// Leaves the seating, if there is one.
  void leave_seating();

  /// Takes over the nodes of executors that wait for this one. Executors that
  /// are not accepted continue alone.
  void absorb_joined(std::vector<executor*> joined);

  /// Takes over the nodes of executors whose tokens the caller has, and gives
  /// these tokens back. @returns the executors that waited for them.
  std::vector<executor*> absorb(std::span<executor* const> others);

  /// Records what an executor's single node executed alone, which is about to
  /// join others. @returns whether the node must leave the group to execute a
  /// tag; false if there are several nodes.
  static bool joins_as_newcomer(executor& x);

  /// Takes over the members of an executor. @param joined gets the executors
  /// that waited for `other`.
  /// @pre This executor's group already has the members.
  void take_members(executor& other, std::vector<executor*>& joined);

  /// Takes over the nodes of executors that are light and idle, as many as fit.
  /// @returns whether the nodes must be called again.
  bool absorb_idle(std::span<executor* const> from);

  /// Offers the nodes to a light neighbour, if there is one. @returns see
  /// `wait`.
  bool join_busy();

  /// Offers the nodes to an executor. @returns false if it has no nodes itself.
  bool join(executor& x, std::int64_t now);

  /// Ends the wait of an executor, which continues alone.
  void let_go(executor& x);

  /// Continues without a take-over. @pre The caller has the token.
  void go_on_alone();

  /// Returns whether this executor can take over the nodes of `other` in
  /// addition to `besides` further nodes.
  bool accepts(const executor& other, std::size_t besides = 0) const noexcept;

  /// Returns whether this executor joins neighbours, and accepts `other`.
  bool may_take(const executor& other) const noexcept;

  /// Returns whether to look for siblings: executors that have a neighbour in
  /// common with this one.
  /// @param near the neighbours of this executor.
  bool wants_siblings(std::span<executor* const> near) noexcept;

  executor& self_;
  std::shared_ptr<seating> seating_;        // null after the first tag
  std::shared_ptr<seating> takes_seats_of_; // usually null
  const std::uint32_t number_;              // unique in the run
  bool looks_around_ = false;               // see `looks_around`
};

} // namespace caf::rosia::detail
