// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "engine/host.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace caf::rosia::engine {

/// Decides when a call of a node or a group ends, so that receivers see what
/// it has sent. The execution of tags pays for hand-overs: each takes a
/// microsecond or so, and `interval` nanoseconds of execution pay for one. Slow
/// tags pay for more than one, and what they have paid is kept. A node of which
/// some tags are slow therefore hands over after each tag, before the next one
/// can be slow; a light node hands over as seldom as before.
///
/// Reading the clock costs as much as a light tag. The timer reads it once for
/// several tags if the last tags were light.
class hand_over_timer {
public:
  // -- constants --------------------------------------------------------------

  /// Nanoseconds of execution that pay for a hand-over.
  static constexpr std::int64_t interval = 100'000;

  /// The same for each member of a group: a call looks at all of them.
  static constexpr std::int64_t interval_of_member = 1'000;

  /// Nanoseconds of light tags between two reads of the clock.
  static constexpr std::int64_t between_reads = 4'000;

  /// Tags between two reads, at most.
  static constexpr std::size_t most_tags = 128;

  // -- calls ------------------------------------------------------------------

  /// A call begins. Without it, the timer never ends a call.
  /// @param now elapsed time, in nanoseconds.
  /// @param members the nodes that the call executes.
  void begin_call(std::int64_t now, std::size_t members) noexcept {
    price_ = interval + static_cast<std::int64_t>(members) * interval_of_member;
    last_read_ = now;
    executed_ = 0;
    window_ = paid_ >= price_ ? 1 : next_window_;
  }

  /// The number of tags that may be executed before `is_due` is asked.
  std::size_t room() const noexcept {
    return window_ - executed_;
  }

  /// The call has executed so many tags.
  /// @pre `tags <= room()`
  void note_executed(std::size_t tags) noexcept {
    executed_ += tags;
  }

  /// Reads the clock. Called when there is no room, and a further tag could be
  /// executed.
  /// @returns whether the call has to end; else there is room again.
  bool is_due(host& env) {
    add_time(env.elapsed());
    if (paid_ >= price_)
      return true;
    window_ = next_window_;
    return false;
  }

  /// The call has ended, and has handed over everything.
  /// @returns whether execution has paid for that.
  bool end_call(std::int64_t now) noexcept {
    add_time(now);
    auto result = paid_ >= price_;
    paid_ = result ? paid_ - price_ : 0;
    return result;
  }

private:
  /// Slow tags pay for at most as many hand-overs.
  static constexpr std::int64_t most_paid = 256;

  void add_time(std::int64_t now) noexcept {
    auto took = std::max<std::int64_t>(now - last_read_, 1);
    last_read_ = now;
    paid_ = std::min(paid_ + took, price_ * most_paid);
    if (executed_ == 0)
      return;
    // A node may become slow: the number of tags without a read grows slowly.
    auto tags = between_reads * static_cast<std::int64_t>(executed_) / took;
    auto most = std::min<std::size_t>(2 * next_window_, most_tags);
    next_window_
      = std::clamp(static_cast<std::size_t>(tags), std::size_t{1}, most);
    executed_ = 0;
  }

  static constexpr auto unlimited = ~std::size_t{0};

  std::int64_t last_read_ = 0;
  std::int64_t paid_ = 0; // nanoseconds of execution
  std::int64_t price_ = interval;
  std::size_t executed_ = 0; // tags since the last read
  std::size_t window_ = unlimited;
  std::size_t next_window_ = 1;
};

} // namespace caf::rosia::engine
