// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <chrono>
#include <vector>

namespace caf::rosia::detail {

struct participant;

/// The actors that could not exit because they have open requests: they are
/// looked at again after a pause, which doubles from one time to the next. The
/// shutdown's lock protects the list.
class recheck_list {
public:
  using clock = std::chrono::steady_clock;

  static constexpr std::chrono::milliseconds shortest_pause{1};
  static constexpr std::chrono::milliseconds longest_pause{50};

  /// Begins with the shortest pause again, because a phase begins.
  void reset_pause() noexcept {
    pause_ = shortest_pause;
  }

  /// @returns whether it is the first: then `due_at` has changed.
  bool add(participant& actor, clock::time_point now);

  /// When to look again; `max()` if there is nobody to look at.
  clock::time_point due_at() const noexcept {
    return actors_.empty() ? clock::time_point::max() : due_at_;
  }

  /// @returns whom to look at now, and removes them; nobody before `due_at`.
  std::vector<participant*> take(clock::time_point now);

private:
  std::vector<participant*> actors_;
  clock::time_point due_at_{};
  clock::duration pause_ = shortest_pause;
};

} // namespace caf::rosia::detail
