// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <chrono>
#include <vector>

namespace caf::rosia::detail {

struct participant;

/// The actors that could not exit because they have open requests. They are
/// checked again after a pause, which doubles each time. The shutdown's lock
/// protects the list. Tests: test/shutdown/rooms_test.cpp.
class recheck_list {
public:
  using clock = std::chrono::steady_clock;

  static constexpr std::chrono::milliseconds shortest_pause{1};
  static constexpr std::chrono::milliseconds longest_pause{50};

  /// Restarts with the shortest pause. Called when a phase begins.
  void reset_pause() noexcept {
    pause_ = shortest_pause;
  }

  /// Adds an actor. @returns whether it is the first; then `due_at` changed.
  bool add(participant& actor, clock::time_point now);

  /// Returns the time of the next check; `max()` if there are no actors.
  clock::time_point due_at() const noexcept {
    return actors_.empty() ? clock::time_point::max() : due_at_;
  }

  /// Removes the actors to check now. @returns these; none before `due_at`.
  std::vector<participant*> take(clock::time_point now);

private:
  std::vector<participant*> actors_;
  clock::time_point due_at_{};
  clock::duration pause_ = shortest_pause;
};

} // namespace caf::rosia::detail
