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

/// What happened where, in the traces of all processes: says what of the other
/// processes comes before a step. Nothing comes before what no trace has.
///
/// These are the rules that `check` applies to lines of different nodes, so
/// any order that keeps them is as good as the one in which it happened.
class causality {
public:
  using processes = std::vector<const process_trace*>;

  causality(const graph& declared, const processes& all);

  /// The other processes' steps that come before one.
  ///
  /// To be called for each process's steps in their order, once for each.
  std::vector<prefix> causes(std::size_t process, const step& x);

  /// Marks a step as written.
  void write(const step& x);

  /// Whether all is written of which one of several has to come before `x`.
  bool may_follow(const step& x) const;

  /// Whether `x` is better put off until it is written that the application
  /// ends by force: an error would do as its cause.
  bool awaits_force(const step& x) const;

private:
  /// A value on its way.
  struct message {
    logical_time arrival;
    value_digest value;
    prefix until;
  };

  struct connection_history {
    std::vector<message> messages;
    /// Those before have been waited for.
    std::size_t awaited = 0;
  };

  struct answer {
    logical_time tag;
    prefix until;
  };

  struct node_history {
    /// Its process's whole trace, if it has one.
    prefix all;
    std::vector<prefix> asked;
    std::vector<answer> answers;
    std::optional<prefix> shutdown;
    ending how = ending::none;
    /// The tag with which it shut down.
    logical_time last;
    // -- up to the step that was looked at last -------------------------------
    bool ended = false;
    std::size_t questions = 0;
    std::size_t finals_taken = 0;
    logical_time final_tag = forever;
  };

  struct final_history {
    logical_time tag;
    prefix until;
  };

  void record(const step& x, prefix until);

  template <class Condition>
  void add_messages(index node, Condition&& comes_before);

  void add_physical(const step& x);

  void add_node_causes(const step& x);

  void add_final_taken(const step& x);

  void add_shutdown(const step& x);

  void add_senders(index node);

  void add_final(std::size_t position);

  void add_round(const node_history& x, std::size_t round, logical_time tag);

  void add(const prefix& x);

  const graph& declared_;
  std::vector<connection_history> connections_;
  std::vector<node_history> nodes_;
  std::vector<final_history> finals_;
  /// How many of them were fixed before the application ended by force.
  std::size_t agreed_ = 0;
  std::size_t finals_seen_ = 0;
  std::optional<logical_time> stop_after_;
  /// 1 if the first final tag was set before the start, without a question.
  std::size_t unasked_ = 0;
  bool forced_ = false;
  bool failed_ = false;
  std::set<logical_time> proposals_;
  // -- what is written --------------------------------------------------------
  std::set<logical_time> proposals_written_;
  bool forced_written_ = false;
  bool failed_written_ = false;
  // -- of one call ------------------------------------------------------------
  std::size_t process_ = 0;
  std::vector<prefix> causes_;
};

} // namespace rosia_trace
