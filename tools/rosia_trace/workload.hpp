// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_trace/event.hpp"
#include "rosia_trace/graph.hpp"
#include "rosia_trace/logical_time.hpp"
#include "rosia_trace/run.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace rosia_trace {

/// The start of a node, or one of its tags: what one thread executes without an
/// interruption.
struct activation {
  index node = 0;
  /// The first node of the group that executed it; `node` if there was none.
  index group = 0;
  logical_time tag;
  /// Nanoseconds that the node's code ran.
  std::int64_t duration = 0;
  /// A start needs to wait for nothing.
  bool is_start = false;
  /// The activations that sent its values over physical connections. Values of
  /// other connections need no entry, because a tag is executed after all that
  /// could send to it.
  std::vector<std::size_t> physical_senders{};
};

/// A path from a sender to a receiver, without physical connections.
struct logical_edge {
  index node = 0;
  time_delay delay;
};

/// The work of a run, and the order in which it must be done.
class workload {
public:
  /// @throws broken_rule for an inconsistent line.
  void add(const event& x);

  /// Ends the input.
  void finish();

  const graph& declared() const {
    return declared_;
  }

  /// Returns the activations in the order of the trace. Those of a node are in
  /// the order of their tags.
  const std::vector<activation>& activations() const {
    return activations_;
  }

  /// Returns the senders of a node, once each, with the least delay.
  const std::vector<logical_edge>& senders(index node) const {
    return nodes_[node].senders;
  }

  /// Returns the receivers of a node in the same way.
  const std::vector<logical_edge>& receivers(index node) const {
    return nodes_[node].receivers;
  }

  /// Returns the number of the process of a node.
  std::size_t process_of(index node) const {
    return nodes_[node].process;
  }

  /// Returns the names of the processes; one without a name if there is only
  /// one.
  const std::vector<std::string>& process_names() const {
    return process_names_;
  }

  /// The sum of all durations in nanoseconds.
  std::int64_t work() const {
    return work_;
  }

  /// Nanoseconds from the start of the first code to the end of the last.
  std::int64_t elapsed() const {
    return knows_durations_ ? last_ended_ - first_began_ : 0;
  }

  /// Whether the trace has the durations of code.
  bool knows_durations() const {
    return knows_durations_;
  }

  bool realtime() const {
    return realtime_;
  }

private:
  struct node_entry {
    std::size_t process; // the number of the process
    std::size_t current; // the number of the current activation
    index group;
    std::vector<logical_edge> senders{};
    std::vector<logical_edge> receivers{};
  };

  /// A value on a physical connection.
  struct physical_value {
    std::size_t sender;
    value_digest value;
  };

  void add_node(const event& x);

  void add_step(const event& x);

  void begin(index node, logical_time tag, bool is_start);

  /// Returns the current activation of a node.
  activation& current(index node);

  void add_duration(index node, const event& x);

  void send(index node, const event& x);

  void receive(index node, const event& x);

  graph declared_;
  judge rules_;
  std::vector<activation> activations_;
  std::vector<node_entry> nodes_;
  std::vector<std::string> process_names_;
  std::map<std::string, std::size_t, std::less<>> process_numbers_;
  /// By connection.
  std::vector<std::deque<physical_value>> physical_values_;
  logical_time beginning_ = origin;
  std::int64_t work_ = 0;
  std::int64_t first_began_ = forever.ns;
  std::int64_t last_ended_ = 0;
  bool knows_durations_ = false;
  bool realtime_ = false;
};

/// Returns the greatest tag from which `delay` leads to `x` or an earlier tag.
logical_time latest_before(logical_time x, time_delay delay);

} // namespace rosia_trace
