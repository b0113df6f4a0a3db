// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/node_id.hpp"
#include "caf/rosia/detail/port_state.hpp"
#include "caf/rosia/detail/value.hpp"
#include "caf/rosia/logical_time.hpp"
#include "engine/index_set.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace caf::rosia::engine {

class last_tag_sender;
class node;
class scratch;

/// A value that has arrived at a node, and that none of its reactions has read.
struct waiting_input {
  std::uint32_t place;      // among the values of one tag: the incoming
                            // connection; last for physical actions
  std::uint32_t port;       // the input
  std::uint32_t connection; // in the order of declaration, for the trace
  value content;
};

/// A loop of nodes without delay of which no reaction depends on itself:
/// section 10.1 of the semantics. At a tag, all of its nodes are executed as
/// one, reaction by reaction, so that each reaction finds what those before it
/// wrote at the same tag. The group that all of them are in decides when.
/// Tests: test/engine/instant_loop_rules_test.cpp.
class instant_loop {
public:
  // -- member types -----------------------------------------------------------

  /// A reaction.
  struct step {
    std::uint32_t member;             // its node
    std::uint32_t reaction;           // its index in the node
    bool reads_all;                   // whether it may read all inputs
    std::vector<std::uint32_t> reads; // the inputs that it may read otherwise,
                                      // ascending

    bool may_read(const waiting_input& x) const noexcept;
  };

  /// The part of a loop that is known before it runs.
  struct plan {
    std::vector<node_id> members; // in the order of the group
    std::vector<step> steps;      // each after those that it depends on
  };

  // -- constructors, destructors ----------------------------------------------

  /// @param all outlives this object.
  explicit instant_loop(const plan& all);

  instant_loop(const instant_loop&) = delete;

  instant_loop& operator=(const instant_loop&) = delete;

  ~instant_loop();

  // -- members ----------------------------------------------------------------

  /// Forgets the members. The next ones are added in the order of their seats.
  void seat_from(std::uint32_t first) noexcept;

  void add(node& x);

  /// Returns whether no member has left.
  bool is_complete() const noexcept {
    return members_.size() == plan_.members.size();
  }

  /// Returns the seat of the first member in the group.
  std::uint32_t first_seat() const noexcept {
    return first_seat_;
  }

  /// Returns the seat after the last member.
  std::uint32_t end_of_seats() const noexcept {
    return first_seat_ + static_cast<std::uint32_t>(members_.size());
  }

  // -- bounds -----------------------------------------------------------------

  /// Raises the tag below which no message arrives from outside of the loop.
  /// @param next the least tag of the members.
  /// @returns whether it is greater than `next` now, and was not before.
  bool raise_bound(logical_time bound, logical_time next) noexcept;

  /// Notes that the members need a bound greater than this one from outside of
  /// the loop. @returns whether that was not the last request.
  bool request(logical_time bound) noexcept {
    return bound != std::exchange(requested_, bound);
  }

  void forget_requests() noexcept {
    requested_ = forever;
  }

  // -- executing --------------------------------------------------------------

  /// Executes the least tag of the members [10.1.5].
  /// @param seat the member that is due first. The group knows the rest.
  /// @pre All members may execute it.
  /// @returns whether no member has failed.
  bool execute(logical_time tag, std::uint32_t seat);

  /// Returns the members that executed the last tag, by index.
  const std::vector<std::uint32_t>& executed() const noexcept {
    return active_;
  }

  /// Executes the last tag [10.6.2].
  /// @pre All members are past the final tag, and all connections without delay
  ///      from outside of the loop have said no_more.
  void execute_last();

private:
  class turn;

  /// A node, and what it keeps from one of its reactions to the next one of the
  /// same tag.
  struct member {
    node* self = nullptr;
    std::vector<std::uint32_t> steps;        // its reactions
    bool is_active = false;                  // executes the current tag
    bool was_late = false;                   // a lag was reported when it began
    std::unique_ptr<last_tag_sender> sender; // at the last tag only
    std::vector<waiting_input> waiting;

    // See the same members of `scratch`.
    std::vector<input*> present;
    std::vector<std::uint32_t> triggered;
    std::vector<std::uint32_t> unreported;
    std::vector<std::uint32_t> latest;
  };

  /// Prepares the next tag. @param is_last whether that is the last tag.
  void reset(bool is_last);

  /// Runs the steps that are due. @returns whether no member has failed.
  bool run_steps(bool goes_on);

  /// Adds the steps of a member that are not over at the current tag.
  void add_steps(const member& x);

  /// Adds the steps of the next member that is due.
  /// @returns the member; null if there is none.
  member* add_due();

  /// Begins the current tag at the members that are due.
  /// @returns whether the loop continues.
  bool begin_due();

  /// Returns whether there is something at the current tag that the member has
  /// not taken.
  bool is_due(const member& x) const noexcept;

  void set_active(member& x);

  /// Begins the current tag. @returns whether the member continues.
  bool begin(member& x);

  bool begin_last(member& x);

  /// Takes what has arrived for the member. @returns whether it continues.
  bool take_due(member& x) const;

  /// Sets the inputs that the reaction may read, and runs it if it is
  /// triggered. @returns whether the member continues.
  bool run(member& x, const step& next);

  /// Sets the waiting inputs that a reaction may read; all if it is null.
  void set_inputs(member& x, const step* reader);

  /// Records in the trace that the member continues after a different one.
  void note_turn(member& x, const step& next);

  /// @param is_complete whether no member has failed.
  void end(member& x, bool is_complete);

  const plan& plan_;
  std::vector<member> members_;
  std::vector<std::uint32_t> active_; // members that execute the current tag
  index_set due_;                     // steps to be run at the current tag
  std::uint32_t next_step_ = 0;       // those before it ran
  std::uint32_t first_seat_ = 0;
  logical_time bound_{};
  logical_time requested_ = forever;
  logical_time tag_{};              // the current one
  bool is_last_ = false;            // whether that is the last tag
  const member* current_ = nullptr; // ran last
};

} // namespace caf::rosia::engine
