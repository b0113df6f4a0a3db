// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"
#include "engine/connection.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace caf::rosia::engine {

/// Every member's earliest tag, for one loop (a strongly connected component of
/// the logical connections): section 4, "Inside a loop". Promises that travel
/// around a loop would creep by microsteps; the loop time table sees all
/// members at once.
///
/// A member's entry is the least of its queued tags, the promises to it from
/// outside of the loop, and the tags in transit to it. All calls except the
/// constructor happen between `lock` and `unlock`; a subclass that threads
/// share overrides these two.
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

  // -- constants --------------------------------------------------------------

  /// Up to this size a loop keeps the distances of all pairs (1 MiB at most).
  static constexpr std::size_t small_loop = 256;

  // -- constructors, destructors ----------------------------------------------

  /// @param nodes the members' numbers, as in `wake` lists.
  /// @param clocked per member: whether elapsed time bounds what it promises or
  ///        what is promised to it, so that others have to send requests.
  /// @param matrix_up_to loops of more members search for distances.
  loop_time_table(std::vector<node_id> nodes, const std::vector<edge>& edges,
                  const std::vector<bool>& clocked,
                  std::size_t matrix_up_to = small_loop);

  loop_time_table(const loop_time_table&) = delete;

  loop_time_table& operator=(const loop_time_table&) = delete;

  virtual ~loop_time_table();

  // -- exclusion --------------------------------------------------------------

  virtual void lock();

  virtual void unlock();

  // -- entries ----------------------------------------------------------------

  /// A message is in transit to `to`.
  void in_transit(member to, logical_time arrival);

  /// `who` has taken all messages in transit from its inbox, and holds them.
  void absorb(member who);

  /// Sets the earliest tag that `who` has queued or is promised from outside,
  /// and appends to `wake` the members that may advance because of it.
  void update(member who, logical_time earliest, std::vector<node_id>& wake);

  // -- bounds -----------------------------------------------------------------

  /// Whether `bound` is cheap enough to be computed for every member: small
  /// loops keep all distances, large ones search.
  bool is_small() const noexcept {
    return !distances_.empty();
  }

  /// The member that `who` waits for; `who` itself if it waits for none.
  member holder(member who) const noexcept {
    return entries_[who].held_by == nobody ? who : entries_[who].held_by;
  }

  /// The member's LBTS: no message of a member arrives at `who` below this tag.
  /// @param by if not null, is set to the member that bounds it, or to `who` if
  ///        a message in transit does; unchanged if nothing bounds it.
  logical_time bound(member who, member* by = nullptr) const;

  /// Registers that `who` waits for a bound greater than `awaited`, replacing
  /// what it waited for before, and appends to `wake` the members whose clock
  /// it depends on.
  /// @returns false if the bound is greater already: there is nothing to wait
  ///          for.
  bool wait(member who, logical_time awaited, std::vector<node_id>& wake);

  /// `who` waits for nothing.
  void stop_waiting(member who) noexcept;

  /// The lowest tag that the entry of `who` has to exceed for a waiting member;
  /// `forever` if none waits for it.
  logical_time requested_bound(member who) const;

  /// Tells whether every entry is `forever`: the loop is done.
  bool ended() const noexcept {
    return active_.empty();
  }

  /// The entry of `who`: the least tag that it has queued, that is promised to
  /// it from outside, or that is in transit to it.
  logical_time low(member who) const noexcept;

  /// `who` waits for a bound greater than this; `forever` if it does not wait.
  logical_time awaited_bound(member who) const noexcept;

  /// Finds a member that keeps the bound of `to` from exceeding `awaited`.
  /// @param from the members in question, in ascending order.
  /// @param lows the entries to assume for them.
  /// @param hint where to begin: the index that the last call has found.
  /// @returns its index in `from`; the size of `from` if there is none.
  std::size_t find_holder(
    std::span<const member> from, std::span<const logical_time> lows, member to,
    logical_time awaited, std::size_t hint) const;

  /// The numbers of the members.
  const std::vector<node_id>& nodes() const noexcept {
    return nodes_;
  }

private:
  static constexpr member nobody = ~member{0};

  struct entry {
    logical_time earliest{}; // (0, 0) until `start()` has returned
    logical_time transit = forever;
    logical_time awaited = forever; // waits for a bound above it
    std::uint32_t active_at = 0;    // position in active_
    member held_by = nobody;        // whose entry it waits for
    member holds_back = nobody;     // the first that waits for this entry
    member next = nobody;           // a list of those with the same holder
    member previous = nobody;
    bool clocked = false;
  };

  struct neighbour {
    member other;
    delay distance;
  };

  /// Keeps `active_` in step with the entry.
  void update_active(member who);

  /// Makes `who` wait for a member whose entry keeps its bound at `awaited` or
  /// below. @returns false if there is none.
  bool hold(member who, logical_time awaited);

  /// Calls `visit(z, d)` for every active member `z` at distance `d` upstream,
  /// until it returns false. Large loops are searched in the order of distance;
  /// `done(d)` tells that nothing at `d` or beyond matters.
  template <class Visit, class Done>
  void visit_upstream(member to, Visit&& visit, Done&& done) const;

  const delay& distance(member from, member to) const noexcept {
    return distances_[from * entries_.size() + to];
  }

  /// Visits everybody with the distance to `to`, least first, until `visit`
  /// returns false.
  template <class Visit>
  void search_upstream(member to, Visit&& visit) const;

  /// The same with the distance from `from`.
  template <class Visit>
  void search_downstream(member from, Visit&& visit) const;

  /// Dijkstra's algorithm from the neighbours of `start` on, so that `start`
  /// itself is found around the loop.
  template <class Visit, class Extend>
  void search(member start,
              const std::vector<std::vector<neighbour>>& neighbours,
              Extend&& extend, Visit&& visit) const;

  std::vector<node_id> nodes_;
  std::vector<entry> entries_;
  std::vector<member> active_; // whose entry is below `forever`
  std::vector<member> clocked_;
  std::vector<std::vector<neighbour>> upstream_;
  std::vector<std::vector<neighbour>> downstream_; // of large loops

  // Distances of all pairs in small loops. The square of a large loop's size
  // does not fit: there `visit_upstream` searches.
  std::vector<delay> distances_;
};

} // namespace caf::rosia::engine
