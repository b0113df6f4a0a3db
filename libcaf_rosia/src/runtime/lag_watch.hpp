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

/// Decides which nodes to warn of because they cannot warn themselves: those
/// whose code does not return, those that get no worker, and those that others
/// hold back. Told from time to time what they do. All times are in nanoseconds
/// since the common start.
///
/// Without the option `lag_warn`, no node warns by itself. The watch then warns
/// of each culprit once: of code that has not returned for `longest_code`, and
/// of a lag of more than `longest_lag`.
class lag_watch {
public:
  /// What a node does.
  enum class doing : std::uint8_t {
    /// Its code runs.
    code,
    /// Its code has run at each of the last looks. Only in findings.
    slow_code,
    /// It waits for a worker.
    wait_for_worker,
    /// It cannot execute its next tag yet.
    wait_for_others,
    /// Somebody looks after it just now, but its code does not run.
    unknown,
  };

  /// There is none for a node that has nothing to do.
  struct sight {
    engine::node_id node = 0;
    lag_watch::doing doing = doing::code;

    /// How many pieces of code it has begun.
    std::uint64_t piece = 0;

    /// Physical time of the tag at which its code runs; of its next tag if it
    /// waits for others. `no_time` for a node that does not follow physical
    /// time.
    std::int64_t tag = 0;
  };

  static constexpr auto no_time = std::numeric_limits<std::int64_t>::max();

  /// Something to warn of.
  struct finding {
    engine::node_id node = 0;
    lag_watch::doing doing = doing::code;

    /// How far it is behind physical time; how long it has waited for a worker,
    /// at least; without `lag_warn`, how long its code has not returned.
    std::int64_t behind = 0;
  };

  struct findings {
    /// Those whose code does not return. If all code returns, one of those that
    /// wait for a worker; if there is none, one that waits for others.
    std::vector<finding> named;

    /// Others that have waited too long for a worker.
    std::vector<engine::node_id> waiting;
  };

  /// How long code may run, and how far a node may be behind, without
  /// `lag_warn`.
  static constexpr std::int64_t longest_code = 5'000'000'000;
  static constexpr std::int64_t longest_lag = 1'000'000'000;

  /// @param lag_warn how far behind a node may be; at least a second. A node
  ///        that is behind for a shorter time warns by itself when it goes on.
  ///        Without a value, the defaults hold.
  explicit lag_watch(std::optional<std::int64_t> lag_warn) noexcept;

  /// Between two looks.
  std::int64_t pause() const noexcept {
    return limit_ / (by_default_ ? looks_by_default : looks_per_limit);
  }

  /// How far behind a node may be.
  std::int64_t limit() const noexcept {
    return limit_;
  }

  /// Tells whether there is no option `lag_warn`.
  bool by_default() const noexcept {
    return by_default_;
  }

  /// @param all has each node once.
  findings look(std::int64_t now, const std::vector<sight>& all);

private:
  static constexpr std::int64_t looks_per_limit = 4;
  static constexpr std::int64_t looks_by_default = 2;

  /// Looks in a row at which a slow node is late, and runs.
  static constexpr std::uint32_t looks_at_slow_code = 3;

  /// Looks in a row at which some node is late, before one is named that is not
  /// found to be slow.
  static constexpr std::uint32_t looks_at_lag = 6;

  struct entry {
    lag_watch::doing doing;
    std::uint64_t piece;
    std::int64_t since;       // the first look that saw it do that
    std::int64_t piece_since; // the first that saw it run this piece, or wait
                              // after it
    growing_interval words;
  };

  /// Forgets what nodes do no more, and takes in what they do now.
  void take_in(std::int64_t now, const std::vector<sight>& all);

  /// How long a node has been late with what it does.
  std::int64_t late_for(std::int64_t now, const sight& x) const;

  /// Of those that wait in this way for too long, the one that has for longest.
  const sight* longest(std::int64_t now, const std::vector<sight>& all,
                       doing what) const;

  /// The same without `lag_warn`.
  findings look_by_default(std::int64_t now, const std::vector<sight>& all);

  /// Finds what keeps nodes behind for several looks, without `lag_warn`.
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
