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
/// whose code does not return, and those that get no worker. Told from time to
/// time what they do. All times are in nanoseconds since the common start.
class lag_watch {
public:
  /// What a node does. There is none for a node that does nothing.
  struct sight {
    engine::node_id node = 0;

    /// Whether its code runs; if not, it waits for a worker.
    bool runs = false;

    /// How many pieces of code it has begun.
    std::uint64_t piece = 0;

    /// Physical time of the tag at which its code runs.
    std::int64_t tag = 0;
  };

  /// Something to warn of.
  struct finding {
    engine::node_id node = 0;
    bool runs = false;

    /// How far it is behind physical time; how long it has waited, at least.
    std::int64_t behind = 0;
  };

  struct findings {
    /// Those at fault; if all code returns, one of those that wait.
    std::vector<finding> named;

    /// How many others have waited too long for a worker.
    std::size_t waiting = 0;
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
    bool runs;
    std::uint64_t piece;
    std::int64_t since; // the first look that saw it
    growing_interval words;
  };

  /// Forgets what nodes do no more, and takes in what they do now.
  void take_in(std::int64_t now, const std::vector<sight>& all);

  std::int64_t limit_;
  std::map<engine::node_id, entry> entries_;
};

} // namespace caf::rosia::detail
