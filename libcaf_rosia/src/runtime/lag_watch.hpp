// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "base/growing_interval.hpp"
#include "engine/connection.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace caf::rosia::detail {

/// Decides which nodes to warn of because they cannot warn themselves: those
/// whose code does not return, those that get no worker, and those that others
/// hold back. Told from time to time what they do. All times are in nanoseconds
/// since the common start.
class lag_watch {
public:
  /// What a node does.
  enum class doing : std::uint8_t {
    /// Its code runs.
    code,
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
    /// waits for others.
    std::int64_t tag = 0;
  };

  /// Something to warn of.
  struct finding {
    engine::node_id node = 0;
    lag_watch::doing doing = doing::code;

    /// How far it is behind physical time; how long it has waited for a worker,
    /// at least.
    std::int64_t behind = 0;
  };

  struct findings {
    /// Those whose code does not return. If all code returns, one of those that
    /// wait for a worker; if there is none, one that waits for others.
    std::vector<finding> named;

    /// Others that have waited too long for a worker.
    std::vector<engine::node_id> waiting;
  };

  /// @param lag_warn how far behind a node may be; at least a second. A node
  ///        that is behind for a shorter time warns by itself when it goes on.
  explicit lag_watch(std::int64_t lag_warn) noexcept;

  /// Between two looks.
  std::int64_t pause() const noexcept {
    return limit_ / looks_per_limit;
  }

  /// @param all has each node once.
  findings look(std::int64_t now, const std::vector<sight>& all);

private:
  static constexpr std::int64_t looks_per_limit = 4;

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

  std::int64_t limit_;
  std::map<engine::node_id, entry> entries_;
};

} // namespace caf::rosia::detail
