// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_trace/graph.hpp"
#include "rosia_trace/logical_time.hpp"
#include "rosia_trace/process_trace.hpp"

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

namespace rosia_trace {

/// The first `count` steps of a process.
struct prefix {
  std::size_t process = 0;
  std::size_t count = 0;
};

/// Determines which steps of other processes precede a step of a node, from the
/// traces of all processes. Causes that are in no trace are ignored.
///
/// Steps without a node (external requests and final tags) have no causes here:
/// they are placed as late as possible. The steps that they depend on, above
/// all the nodes' answers, are then already written.
///
/// These are the rules that `check` applies to lines of different nodes. So
/// every order that obeys them is as valid as the actual one.
class causality {
public:
  using processes = std::vector<const process_trace*>;

  causality(const graph& declared, const processes& all);

  /// Returns the steps of other processes that precede `x`. Call once for each
  /// step of a process, in order.
  std::vector<prefix> causes(std::size_t process, const step& x);

  /// Marks a step as written.
  void write(const step& x);

  /// Returns whether requests permit to write `x`: a question follows at least
  /// one of the requests with its proposal.
  bool may_follow(const step& x) const;

private:
  /// A value in transit.
  struct message {
    logical_time arrival;
    value_digest value;
    prefix until;
  };

  struct connection_history {
    std::vector<message> messages;
    /// The number of messages that were waited for.
    std::size_t awaited = 0;
  };

  struct node_history {
    bool last = false;          // executes the last tag
    std::optional<prefix> done; // before the final tag was known
    std::optional<prefix> shutdown;
    // -- up to the last step --------------------------------------------------
    bool failed = false;
    std::size_t questions = 0;
    std::size_t finals_taken = 0;
  };

  struct final_history {
    logical_time tag;
    prefix until;
  };

  void record(const step& x, prefix until);

  void add_causes(node_history& self, const step& x);

  void add_messages(const step& x);

  void add_message(const step& x);

  void add_physical(const step& x);

  void add_final(node_history& self, const step& x);

  void add_senders(index node);

  /// Adds the ends of the nodes that send without delay.
  void add_instant_senders(index node);

  void add(const prefix& x);

  const graph& declared_;
  bool is_replay_; // physical values have no senders
  std::vector<connection_history> connections_;
  std::vector<node_history> nodes_;
  std::vector<final_history> finals_;
  std::optional<logical_time> stop_after_;
  /// 1 if the first final tag was set before the start, without a question.
  std::size_t unasked_ = 0;
  std::optional<prefix> aborted_;
  /// All requested tags, and those whose request is written.
  std::set<logical_time> proposals_;
  std::set<logical_time> proposals_written_;
  // -- during a call ----------------------------------------------------------
  std::size_t process_ = 0;
  std::vector<prefix> causes_;
};

} // namespace rosia_trace
