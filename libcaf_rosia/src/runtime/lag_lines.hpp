// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "engine/connection.hpp"

#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

namespace caf::rosia::detail {

/// Merges the warnings of nodes that lag at the same time into one line a
/// second. The slow node lags first, at the end of its reaction. The nodes that
/// it sends to lag because of it, and are counted in its next line. May be used
/// from any thread. Tests: test/runtime/lag_lines_test.cpp.
class lag_lines {
public:
  using node_set = std::set<engine::node_id>;

  /// Time between two lines, in nanoseconds.
  static constexpr std::int64_t interval = 1'000'000'000;

  /// Notes that a node lags.
  /// @param now physical time, in nanoseconds.
  /// @returns the other nodes that lagged since the last line, if this node
  ///          must write a line.
  std::optional<node_set> note(engine::node_id node, std::int64_t now) {
    std::lock_guard guard{mutex_};
    // The node of the last line takes precedence while it still lags.
    auto first = node == speaker_ || !speaker_lags_ || now >= next_ + interval;
    if (now < next_ || !first) {
      if (node == speaker_)
        speaker_lags_ = true;
      else
        others_.insert(node);
      return std::nullopt;
    }
    next_ = now + interval;
    speaker_ = node;
    speaker_lags_ = false;
    others_.erase(node);
    return std::exchange(others_, {});
  }

private:
  std::mutex mutex_;
  std::int64_t next_ = 0;                  // earliest time of the next line
  std::optional<engine::node_id> speaker_; // of the last line
  bool speaker_lags_ = false;              // since the last line
  node_set others_;                        // that lag since the last line
};

} // namespace caf::rosia::detail
