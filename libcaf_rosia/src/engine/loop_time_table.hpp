// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"
#include "engine/connection.hpp"
#include "engine/envelope.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace caf::rosia::engine {

/// The earliest tag of every member of a loop (a strongly connected component
/// of the logical connections): section 4, "Inside a loop" [4.13]. Promises
/// around a loop would advance by microsteps; the loop time table sees all
/// members at once.
///
/// A member's entry is the least of its queued tags, the promises to it from
/// outside of the loop, and the tags in transit to it. All functions except the
/// constructor are called between `lock` and `unlock`. A subclass that threads
/// share overrides these two. Tests: test/engine/loop_time_table_test.cpp.
class loop_time_table {
public:
  // -- member types -----------------------------------------------------------

  /// The index of a node among the members.
  using member = std::uint32_t;

  /// A connection inside the loop.
  struct edge {
    member from;
    member to;
    delay distance;
  };

  /// A message of one part of a loop to a node of another part.
  struct part_message {
    node_id receiver;
    envelope content;
  };

  // -- constants --------------------------------------------------------------

  /// Loops up to this size keep distances that were searched (1 MiB at most).
  static constexpr std::size_t small_loop = 256;

  // -- constructors, destructors ----------------------------------------------

  /// @param nodes the members' numbers, as in `wake` lists.
  /// @param clocked per member: whether elapsed time bounds its promises or the
  ///   promises to it, so that other members must send requests.
  /// @param matrix_up_to larger loops search for distances.
  loop_time_table(std::vector<node_id> nodes, const std::vector<edge>& edges,
                  const std::vector<bool>& clocked,
                  std::size_t matrix_up_to = small_loop);

  /// Makes a small loop whose members are parts of a loop, at these distances.
  /// @param distances for each receiver, those from each sender; from a member
  ///   to itself, that around the loop.
  loop_time_table(std::vector<node_id> nodes,
                  const std::vector<delay>& distances,
                  const std::vector<bool>& clocked);

  loop_time_table(const loop_time_table&) = delete;

  loop_time_table& operator=(const loop_time_table&) = delete;

  virtual ~loop_time_table();

  // -- exclusion --------------------------------------------------------------

  virtual void lock();

  virtual void unlock();

  // -- entries ----------------------------------------------------------------

  /// Records a message in transit to `to`.
  void in_transit(member to, logical_time arrival);

  /// Records that `id` took all messages in transit from its inbox.
  void absorb(member id);

  /// Sets the earliest tag that `id` has queued or is promised from outside.
  /// Appends to `wake` the members that may advance because of it.
  void update(member id, logical_time earliest, std::vector<node_id>& wake);

  /// Sets the number of a member, as in `wake` lists.
  void rename(member id, node_id node) noexcept {
    nodes_[id] = node;
  }

  // -- parts of a loop --------------------------------------------------------

  /// Returns whether members are parts of a loop, which have several nodes.
  bool has_parts() const noexcept {
    return !mail_.empty();
  }

  /// Puts a message for a node of a part into the mailbox of this part. Appends
  /// the part to `wake` unless a wake-up for an earlier message is due, or the
  /// part waits for a bound that the message does not affect.
  /// @returns false if all nodes of the part left.
  /// @pre `has_parts()`
  bool deliver(member part, part_message content, std::vector<node_id>& wake);

  /// Moves the messages for a part, which are still in transit, into `into`,
  /// which is empty.
  void take_mail(member part, std::vector<part_message>& into) noexcept {
    mail_[part].messages.swap(into);
  }

  /// Returns whether a part has messages.
  bool has_mail(member part) const noexcept {
    return !mail_[part].messages.empty();
  }

  /// Refuses messages to a part from now on.
  void close_mail(member part) noexcept {
    mail_[part].closed = true;
  }

  // -- bounds -----------------------------------------------------------------

  /// Returns whether `bound` is cheap enough to be computed for every member:
  /// small loops keep all distances, large loops search.
  bool is_small() const noexcept {
    return !distances_.empty();
  }

  /// Returns the member that `id` waits for; `id` itself if it waits for
  /// none.
  member holder(member id) const noexcept {
    return entries_[id].held_by == nobody ? id : entries_[id].held_by;
  }

  /// Returns the LBTS of `id`: no message of a member arrives at it below this
  /// tag [4.14].
  /// @param by if not null, is set to the member that bounds it, or to `id` if
  ///   a message in transit does; unchanged if nothing bounds it.
  logical_time bound(member id, member* by = nullptr);

  /// Registers that `id` waits for a bound greater than `awaited` instead of
  /// its previous one. Appends to `wake` the members whose clocks the bound
  /// depends on.
  /// @returns false if the bound is greater already, so that there is no wait.
  bool wait(member id, logical_time awaited, std::vector<node_id>& wake);

  /// Unregisters the wait of `id`.
  void stop_waiting(member id) noexcept;

  /// Returns the lowest tag that the entry of `id` must exceed for a waiting
  /// member [4.10]; `forever` if none waits for it.
  logical_time requested_bound(member id) const;

  /// Returns whether every entry is `forever`: the loop is done [5.2].
  bool ended() const noexcept {
    return active_.empty();
  }

  /// Returns the entry of `id`: the least tag that it has queued, that is
  /// promised to it from outside, or that is in transit to it.
  logical_time low(member id) const noexcept;

  /// Returns the bound that `id` waits to exceed; `forever` if it does not
  /// wait.
  logical_time awaited_bound(member id) const noexcept;

  /// Finds a member that keeps the bound of `to` from exceeding `awaited`.
  /// @param from the members in question, in ascending order.
  /// @param lows the entries to assume for them.
  /// @param hint where to begin: the index that the last call has found.
  /// @returns its index in `from`; the size of `from` if there is none.
  std::size_t find_holder(
    std::span<const member> from, std::span<const logical_time> lows, member to,
    logical_time awaited, std::size_t hint) const;

  /// Returns whether elapsed time bounds what a member promises, or what is
  /// promised to it.
  bool clocked(member id) const noexcept {
    return entries_[id].clocked;
  }

  /// Returns the numbers of the members.
  const std::vector<node_id>& nodes() const noexcept {
    return nodes_;
  }

private:
  static constexpr member nobody = ~member{0};

  struct entry {
    logical_time earliest{}; // (0, 0) until `start()` has returned
    logical_time transit = forever;
    logical_time awaited = forever; // the member waits for a greater bound
    std::uint32_t active_at = 0;    // position in active_
    member held_by = nobody;        // the member whose entry it waits for
    member holds_back = nobody;     // the first member that waits for this
                                    // entry
    member next = nobody;           // in the list of members with this holder
    member previous = nobody;
    delay held_at{};            // the distance from `held_by`
    logical_time bound{};       // the last LBTS
    member bounded_by = nobody; // the member whose entry it was
    delay bounded_at{};         // the distance from that member
    bool clocked = false;
  };

  struct mailbox {
    std::vector<part_message> messages;
    bool closed = false;
  };

  struct neighbour {
    member other;
    delay distance;
  };

  void init(const std::vector<bool>& clocked);

  /// Updates `active_` from the entry.
  void update_active(member id);

  /// Makes `id` wait for a member whose entry keeps its bound at `awaited` or
  /// below.
  /// @returns false if there is none.
  bool hold(member id, logical_time awaited);

  /// Returns whether the entry of `holder` keeps the bound of `id` at
  /// `awaited` or below.
  bool holds(member holder, const delay& distance,
             logical_time awaited) const noexcept {
    return saturating_add(low(holder), distance) <= awaited;
  }

  /// Calls `visit(z, d)` for every active member `z` at distance `d` upstream,
  /// until it returns false. Large loops are searched in the order of distance;
  /// the search ends when `done(d)` returns true.
  template <class Visit, class Done>
  void visit_upstream(member to, Visit&& visit, Done&& done) const;

  /// Returns the distances of all members of a small loop to one of them.
  std::span<const delay> distances_to(member to) const;

  delay distance(member from, member to) const {
    return distances_to(to)[from];
  }

  /// Visits all members in the order of their distance to `to`, until `visit`
  /// returns false.
  template <class Visit>
  void search_upstream(member to, Visit&& visit) const;

  /// Visits all members in the order of their distance from `from`, until
  /// `visit` returns false.
  template <class Visit>
  void search_downstream(member from, Visit&& visit) const;

  /// Runs Dijkstra's algorithm from the neighbours of `start`, so that `start`
  /// itself is found around the loop.
  template <class Visit, class Extend>
  void search(member start,
              const std::vector<std::vector<neighbour>>& neighbours,
              Extend&& extend, Visit&& visit) const;

  std::vector<node_id> nodes_;
  std::vector<entry> entries_;
  std::vector<member> active_; // members with entries below `forever`
  std::vector<member> clocked_;
  std::vector<std::vector<neighbour>> upstream_;
  std::vector<std::vector<neighbour>> downstream_; // only for large loops

  // Distances of all pairs in small loops, by receiver. Those of a receiver are
  // empty until they are needed. In large loops there are too many pairs, and
  // `visit_upstream` searches.
  mutable std::vector<std::vector<delay>> distances_;

  std::vector<mailbox> mail_; // by part; empty without parts
};

} // namespace caf::rosia::engine
