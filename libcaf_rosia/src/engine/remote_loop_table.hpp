// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"
#include "engine/loop_time_table.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace caf::rosia::engine {

/// The number of a process among those that run an application.
using process_id = std::uint32_t;

/// The entries that a process has sent of its own members of a loop: their
/// state at one time.
struct loop_part {
  /// What a member waits for: a bound greater than this.
  struct wait {
    loop_time_table::member who;
    logical_time awaited;
    friend bool operator==(const wait&, const wait&) = default;
  };

  process_id process = 0;

  /// Grows with every change. 0 if nothing is known.
  std::uint64_t version = 0;

  /// Per member of the process: its earliest tag, in the order of the members.
  std::vector<logical_time> lows;

  /// Messages sent to other processes, and received from them, so far: per
  /// connection of the loop that leaves or enters the process, in the order of
  /// declaration.
  std::vector<std::uint64_t> sent;
  std::vector<std::uint64_t> received;

  std::vector<wait> waits;
};

/// A loop whose members are in several processes, from the view of one of them:
/// section 4 of the semantics, "Between processes".
///
/// Each process has a loop time table. Entries of its own members are current.
/// Remote entries come from the latest consistent cut with empty channels: no
/// message was in transit between the processes. Such a cut is known once all
/// processes have sent their entries, and each has received all messages that
/// the others had sent. Entries travel with the messages, and are passed on.
/// They are sent alone only to a process whose members they may let advance.
///
/// Other members continue to send to an aborted member of another process, and
/// it continues to count: otherwise no message would be in transit to it, and
/// it would hold back no member.
///
/// All calls happen between `lock` and `unlock` of the loop time table. A
/// connection is given by its number in the order of declaration.
class remote_loop_table {
public:
  // -- member types -----------------------------------------------------------

  /// A connection between members of different processes.
  struct crossing {
    std::uint32_t connection;
    loop_time_table::member from;
    loop_time_table::member to;
  };

  using parts = std::vector<loop_part>;

  // -- constructors, destructors ----------------------------------------------

  /// @param local the loop time table of this process. Outlives this.
  /// @param homes per member: the process that runs it.
  /// @param crossings in the order of declaration.
  remote_loop_table(
    loop_time_table& local, process_id self, std::vector<process_id> homes,
    std::vector<crossing> crossings);

  // -- messages ---------------------------------------------------------------

  /// A message leaves for another process. `loop_time_table::in_transit` was
  /// called.
  void sent(std::uint32_t connection);

  /// A message has come from another process, and `loop_time_table::in_transit`
  /// was called for its receiver.
  void received(std::uint32_t connection);

  // -- views ------------------------------------------------------------------

  /// The entries that were not sent to the other process yet; from now on they
  /// count as sent. Empty if no connection of the loop leads there.
  /// @pre All messages that were sent are counted: not between two messages of
  /// a batch.
  parts news_for(process_id other);

  /// Takes the entries of another process. @returns false if they are
  /// impossible; then they are not taken, and their sender has made an error.
  bool merge(const parts& news, std::vector<node_id>& wake);

  /// Appends to `wake` the members that may advance with the entries that are
  /// known now. Called when members have become idle, or when a message has
  /// arrived.
  void refresh(std::vector<node_id>& wake);

  /// Tells whether new entries have to be sent to the other process now,
  /// because it may wait for them. Called after `refresh`, when members have
  /// become idle. @pre `other` is one of `receivers()`.
  bool owes(process_id other) const;

  // -- properties -------------------------------------------------------------

  /// The processes to which a connection leads.
  const std::vector<process_id>& receivers() const noexcept {
    return receivers_;
  }

private:
  /// The known entries of a process, and those of them that were sent to each
  /// of `receivers()`.
  struct known {
    loop_part part;
    std::vector<loop_time_table::member> members;
    std::vector<loop_part> told;
    // Per member of the loop: the index of the one of `members` that was last
    // found to hold it. It usually holds it still.
    mutable std::vector<std::size_t> holders;
  };

  /// Where a crossing's count is in the part of its sender, and of its
  /// receiver.
  struct route {
    process_id from;
    process_id to;
    std::size_t sent_at;
    std::size_t received_at;
  };

  std::size_t receiver_index(process_id x) const;

  bool is_valid(const loop_part& x) const;

  /// Updates the entries of this process's own members.
  void look_at_self();

  /// Tells whether the known entries are a consistent cut with empty channels.
  bool is_consistent_cut() const;

  /// Returns whether no member of the process holds the one that waits.
  bool permits(const loop_part& x, const loop_part::wait& y) const;

  /// Tells whether the known entries of a process may let a member advance that
  /// knows older ones.
  bool helps(const known& x, const loop_part& told) const;

  loop_time_table& loop_time_table_;
  process_id self_;
  std::vector<process_id> homes_;
  std::vector<route> routes_;
  std::unordered_map<std::uint32_t, std::uint32_t> by_connection_;
  std::vector<process_id> receivers_;
  std::vector<known> known_; // by process
  loop_part look_;           // reused by look_at_self
};

} // namespace caf::rosia::engine
