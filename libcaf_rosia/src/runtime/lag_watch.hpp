// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "base/growing_interval.hpp"
#include "engine/connection.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace caf::rosia::detail {

/// Finds nodes that lag and cannot warn themselves: nodes whose code does not
/// return, nodes without a worker, and nodes that wait for other nodes. Called
/// from time to time with the activities of nodes. All times are in nanoseconds
/// since the common start.
///
/// Without the option `lag_warn`, no node warns by itself. The watch then names
/// each culprit once: code that does not return for `longest_code`, and a lag
/// of more than `longest_lag`. Tests: test/runtime/lag_watch_test.cpp.
class lag_watch {
public:
  /// The activity of a node.
  enum class doing : std::uint8_t {
    /// Its code runs.
    code,
    /// Its code was running at each of the last looks. Only in findings.
    slow_code,
    /// It waits for a worker.
    wait_for_worker,
    /// It cannot execute its next tag yet.
    wait_for_others,
    /// An executor holds the node, but none of its code runs.
    unknown,
  };

  /// The activity of a node at a look. There is none for a node with nothing to
  /// do.
  struct sight {
    engine::node_id node = 0;
    lag_watch::doing doing = doing::code;

    /// Number of reactions and other pieces of code started.
    std::uint64_t piece = 0;

    /// Physical time of the tag at which its code runs, or of its next tag if
    /// it waits for other nodes. `no_time` for a node that does not follow
    /// physical time.
    std::int64_t tag = 0;
  };

  static constexpr auto no_time = std::numeric_limits<std::int64_t>::max();

  /// A node that lags.
  struct finding {
    engine::node_id node = 0;
    lag_watch::doing doing = doing::code;

    /// Lag behind physical time. For a node without a worker, its minimum
    /// waiting time; without `lag_warn`, for code that does not return, the
    /// time since it was first seen.
    std::int64_t behind = 0;
  };

  struct findings {
    /// All nodes whose code does not return. If there is none, a node that
    /// waits for a worker, or else one that waits for other nodes.
    std::vector<finding> named;

    /// Further nodes that wait too long for a worker.
    std::vector<engine::node_id> waiting;
  };

  /// Limits without `lag_warn`: how long code may run, and how far a node may
  /// lag.
  static constexpr std::int64_t longest_code = 5'000'000'000;
  static constexpr std::int64_t longest_lag = 1'000'000'000;

  /// @param lag_warn how far a node may lag; at least a second. A node that
  ///        lags for a shorter time warns by itself when it continues. Without
  ///        a value, the defaults hold.
  explicit lag_watch(std::optional<std::int64_t> lag_warn) noexcept;

  /// Returns the time between two looks.
  std::int64_t pause() const noexcept {
    return limit_ / (by_default_ ? looks_by_default : looks_per_limit);
  }

  /// Returns how far a node may lag.
  std::int64_t limit() const noexcept {
    return limit_;
  }

  /// Returns whether the option `lag_warn` is missing.
  bool by_default() const noexcept {
    return by_default_;
  }

  /// @param all has each node at most once.
  findings look(std::int64_t now, const std::vector<sight>& all);

private:
  static constexpr std::int64_t looks_per_limit = 4;
  static constexpr std::int64_t looks_by_default = 2;

  /// Number of consecutive looks that find a node late and running, before it
  /// counts as slow.
  static constexpr std::uint32_t looks_at_slow_code = 3;

  /// Number of consecutive looks that find a lag, before they name a node that
  /// is not slow.
  static constexpr std::uint32_t looks_at_lag = 6;

  struct entry {
    lag_watch::doing doing;
    std::uint64_t piece;
    std::int64_t since;       // time of the first look that saw this activity
    std::int64_t piece_since; // time of the first look that saw this piece
    growing_interval words;
  };

  /// Replaces the entries of nodes with a new activity.
  void take_in(std::int64_t now, const std::vector<sight>& all);

  /// Returns how long a node is late with its activity.
  std::int64_t late_for(std::int64_t now, const sight& x) const;

  /// Returns the node that waits longest in this way, if it waits too long.
  const sight* longest(std::int64_t now, const std::vector<sight>& all,
                       doing activity) const;

  /// Implements `look` without `lag_warn`.
  findings look_by_default(std::int64_t now, const std::vector<sight>& all);

  /// Finds the cause of a lag over several looks, without `lag_warn`.
  std::optional<finding> find_lag(
    std::int64_t now, const std::vector<sight>& all);

  std::int64_t limit_;
  bool by_default_;
  std::map<engine::node_id, entry> entries_;

  // Without `lag_warn`.
  std::set<engine::node_id> named_;
  std::map<engine::node_id, std::uint32_t> slow_; // looks in a row
  std::uint32_t lagged_ = 0;                      // looks in a row
};

} // namespace caf::rosia::detail
