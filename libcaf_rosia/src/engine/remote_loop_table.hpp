// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"
#include "engine/loop_time_table.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace caf::rosia::engine {

/// The number of a process of an application.
using process_id = std::uint32_t;

/// The entries of one process's members of a loop: their state at one time.
/// Tests: test/engine/remote_loop_table_test.cpp.
struct loop_part {
  /// A wait of a member: it needs a bound greater than `awaited`.
  struct wait {
    loop_time_table::member waiter;
    logical_time awaited;
    friend bool operator==(const wait&, const wait&) = default;
  };

  process_id process = 0;

  /// Grows with every change; 0 if nothing is known.
  std::uint64_t version = 0;

  /// Per member of the process: its earliest tag, in the order of the members.
  std::vector<logical_time> lows;

  /// The numbers of messages sent to other processes, and received from them,
  /// so far: per connection of the loop that leaves or enters the process, in
  /// the order of declaration.
  std::vector<std::uint64_t> sent;
  std::vector<std::uint64_t> received;

  std::vector<wait> waits;
};

/// A loop with members in several processes, as one of them sees it (section 4
/// of the semantics, "Between processes").
///
/// Each process has a loop time table. The entries of its own members are
/// current. Remote entries are from the latest consistent cut with empty
/// channels: no message was in transit between the processes. Such a cut is
/// known once all processes have sent their entries, and each has received all
/// messages that the other processes had sent. Entries travel with the
/// messages, and are relayed [4.15]. They are sent alone only to a process
/// whose members may advance because of them.
///
/// Other members continue to send to an aborted member of another process, and
/// that process continues to count: otherwise no message would be in transit to
/// the aborted member, and it would not bound any other. A member that stopped
/// also continues to count, until the loop has passed the final tag [4.18].
///
/// All functions are called between `lock` and `unlock` of the loop time table.
/// Connections are given by their numbers in the order of declaration. Tests:
/// test/engine/remote_loop_table_test.cpp.
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

  /// @param local the loop time table of this process, which must outlive this.
  /// @param homes per member: the process that runs it.
  /// @param crossings in the order of declaration.
  remote_loop_table(
    loop_time_table& local, process_id self, std::vector<process_id> homes,
    std::vector<crossing> crossings);

  // -- messages ---------------------------------------------------------------

  /// Counts a message to another process. `loop_time_table::in_transit` was
  /// called for it.
  void sent(std::uint32_t connection);

  /// Counts a message from another process. `loop_time_table::in_transit` was
  /// called for its receiver.
  void received(std::uint32_t connection);

  // -- views ------------------------------------------------------------------

  /// Returns the entries that were not sent to the other process yet, and marks
  /// them as sent. Empty if no connection of the loop leads there.
  /// @pre All sent messages are counted: the call is not between two messages
  /// of a batch.
  parts news_for(process_id other);

  /// Merges the entries of another process.
  /// @returns false if they are invalid. Then none is merged, and their sender
  ///   is in error.
  bool merge(const parts& news, std::vector<node_id>& wake);

  /// Appends to `wake` the members that may advance with the known entries
  /// [4.16]. Called when members have become idle, or when a message has
  /// arrived.
  void refresh(std::vector<node_id>& wake);

  /// Returns whether new entries must be sent to the other process now, because
  /// it may wait for them [4.17]. Called after `refresh`, when members have
  /// become idle.
  /// @pre `other` is one of `receivers()`.
  bool owes(process_id other) const;

  // -- properties -------------------------------------------------------------

  /// Returns the processes to which connections lead.
  const std::vector<process_id>& receivers() const noexcept {
    return receivers_;
  }

private:
  /// The known entries of a process, and the entries that were last sent to
  /// each of `receivers()`.
  struct known {
    loop_part part;
    std::vector<loop_time_table::member> members;
    std::vector<loop_part> last_sent;
    // Per member of the loop: the index in `members` of its last holder, which
    // usually still holds it.
    mutable std::vector<std::size_t> holders;
  };

  /// The positions of a crossing's counts in the parts of its sender and its
  /// receiver.
  struct route {
    process_id from;
    process_id to;
    std::size_t sent_at;
    std::size_t received_at;
  };

  std::size_t receiver_index(process_id x) const;

  bool is_valid(const loop_part& x) const;

  /// Updates the entries of this process's members.
  void look_at_self();

  /// Returns whether the known entries are a consistent cut with empty
  /// channels.
  bool is_consistent_cut() const;

  /// Returns whether no member of the process holds the one that waits.
  bool permits(const loop_part& x, const loop_part::wait& y) const;

  /// Returns whether the known entries of a process may let a member advance
  /// that knows older entries.
  bool helps(const known& x, const loop_part& last_sent) const;

  loop_time_table& loop_time_table_;
  process_id self_;
  std::vector<process_id> homes_;
  std::vector<route> routes_;
  std::unordered_map<std::uint32_t, std::uint32_t> by_connection_;
  std::vector<process_id> receivers_;
  std::vector<known> known_; // by process

  // Reused by look_at_self.
  std::vector<logical_time> lows_;
  std::vector<loop_part::wait> waits_;
};

} // namespace caf::rosia::engine
