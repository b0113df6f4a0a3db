// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/engine/ledger.hpp"
#include "caf/rosia/logical_time.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace caf::rosia::engine {

/// The number of a process among those that run an application.
using process_id = std::uint32_t;

/// What a process has said of the members of a loop that it runs: as they were
/// at one moment.
struct loop_part {
  /// What a member waits for: a bound greater than this.
  struct wait {
    ledger::member who;
    logical_time want;
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

  /// Tells whether both say the same, but for the version.
  bool equals(const loop_part& other) const;
};

/// A loop whose members live in several processes, as one of them sees it:
/// section 4 of the semantics, "Between processes".
///
/// Each process has a ledger. In it are the entries of its own members as they
/// are, and those of the others as they were at some moment at which nothing
/// was under way between the processes, or on its way to them since. Such a
/// moment is known once all have said something, and everybody has received
/// what the others have sent. What the processes say of themselves travels with
/// the messages, and is passed on; alone it goes only to whom it may help.
///
/// To a member of another process that has ended by force others go on sending,
/// and it goes on counting: what they do not send any more would not be under
/// way to it, and it would hold back nobody.
///
/// All calls happen between `lock` and `unlock` of the ledger. A connection is
/// given by its number in the order of declaration.
class loop_view {
public:
  // -- member types -----------------------------------------------------------

  /// A connection between members of different processes.
  struct crossing {
    std::uint32_t connection;
    ledger::member from;
    ledger::member to;
  };

  using parts = std::vector<loop_part>;

  // -- constructors, destructors ----------------------------------------------

  /// @param local the ledger of this process. Outlives this.
  /// @param homes per member: the process that runs it.
  /// @param crossings in the order of declaration.
  loop_view(ledger& local, process_id self, std::vector<process_id> homes,
            std::vector<crossing> crossings);

  // -- messages ---------------------------------------------------------------

  /// A message leaves for another process. `ledger::in_transit` was called.
  void sent(std::uint32_t connection);

  /// A message has come from another process, and `ledger::in_transit` was
  /// called for its receiver.
  void received(std::uint32_t connection);

  // -- views ------------------------------------------------------------------

  /// What the other process has not been told yet; from now on it is taken for
  /// told. Nothing if no connection of the loop leads there.
  /// @pre All that was sent is counted: not between two messages of a batch.
  parts news_for(process_id other);

  /// Takes in what another process has told. @returns false if it cannot be
  /// true, and was not taken in; it is an error of whoever sent it.
  bool merge(const parts& news, std::vector<node_id>& wake);

  /// Looks whether anything is known by now that lets members go on, and
  /// appends them to `wake`. Called when members have gone idle, or a message
  /// has come.
  void refresh(std::vector<node_id>& wake);

  /// Tells whether the other process, to which a connection leads, has to be
  /// told the news now, because it may wait for them. Called after `refresh`,
  /// when members have gone idle. @pre It is one of `receivers()`.
  bool owes(process_id other) const;

  // -- properties -------------------------------------------------------------

  /// The processes to which a connection leads.
  const std::vector<process_id>& receivers() const noexcept {
    return receivers_;
  }

private:
  /// What is known of a process, and what of it each of `receivers()` was told.
  struct known {
    loop_part part;
    std::vector<ledger::member> members;
    std::vector<loop_part> told;
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

  /// Brings what this process says of itself up to date.
  void look_at_self();

  /// Tells whether nothing was under way when all that is known was true.
  bool is_cut() const;

  /// Tells whether the members of the process let this one go on.
  bool permits(const loop_part& x, const loop_part::wait& y) const;

  /// Tells whether what is known of a process may help somebody who was told
  /// something else.
  bool helps(const known& x, const loop_part& told) const;

  ledger& ledger_;
  process_id self_;
  std::vector<process_id> homes_;
  std::vector<route> routes_;
  std::unordered_map<std::uint32_t, std::uint32_t> by_connection_;
  std::vector<process_id> receivers_;
  std::vector<known> known_; // by process
};

} // namespace caf::rosia::engine
