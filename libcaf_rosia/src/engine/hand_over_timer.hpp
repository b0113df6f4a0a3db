// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "engine/host.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace caf::rosia::engine {

/// Decides when a call of a node or a group ends, so that receivers get its
/// messages. A hand-over takes some microseconds if it wakes an idle worker;
/// `interval` nanoseconds of execution pay for one. A slow tag, which takes
/// longer than that, pays for many, and unused payments are kept. A node with
/// some slow tags therefore hands over after each tag, before the next one can
/// be slow. A light node hands over rarely.
///
/// Reading the clock costs as much as a light tag. If the last tags were light,
/// the timer reads it once for several tags. Tests:
/// test/engine/hand_over_test.cpp.
class hand_over_timer {
public:
  // -- constants --------------------------------------------------------------

  /// Execution time that pays for a hand-over, in nanoseconds.
  static constexpr std::int64_t interval = 100'000;

  /// The number of times that a slow tag pays for a hand-over with its time.
  static constexpr std::int64_t slow_tag_pays = 4;

  /// Additional time for each member of a group, because a call scans all
  /// members. On a slow machine, that takes longer: it is at least the time
  /// that the last call took besides execution.
  static constexpr std::int64_t interval_of_member = 1'000;

  /// The minimal number of members for measuring that time. Each measurement
  /// reads the clock.
  static constexpr std::size_t scanned_members = 64;

  /// Time of light tags between two reads of the clock, in nanoseconds.
  static constexpr std::int64_t between_reads = 4'000;

  /// The maximal number of tags between two reads.
  static constexpr std::size_t most_tags = 128;

  // -- calls ------------------------------------------------------------------

  /// Starts a call. Without it, the timer never ends a call.
  /// @param now elapsed time, in nanoseconds.
  /// @param members the number of nodes that the call executes.
  void begin_call(std::int64_t now, std::size_t members) noexcept {
    auto least = static_cast<std::int64_t>(members) * interval_of_member;
    // At most twice the last one: other programs may have had the processor.
    auto most = 2 * std::max(price_, least);
    price_ = interval + std::clamp(std::exchange(scan_, 0), least, most);
    measures_scan_ = members >= scanned_members;
    last_read_ = now;
    executed_ = 0;
    window_ = paid_ >= price_ ? 1 : next_window_;
  }

  /// Returns the number of tags that may be executed before `is_due` is called.
  std::size_t room() const noexcept {
    return window_ - executed_;
  }

  /// Records that the call executed this many tags.
  /// @pre `tags <= room()`
  void note_executed(std::size_t tags) noexcept {
    executed_ += tags;
  }

  /// Reads the clock. Called when there is no room, and a further tag could be
  /// executed.
  /// @returns whether the call must end; otherwise there is room again.
  bool is_due(host& env) {
    add_time(env.elapsed());
    if (paid_ >= price_)
      return true;
    window_ = next_window_;
    return false;
  }

  /// Ends the call, which has handed over everything.
  /// @returns whether execution has paid for that.
  bool end_call(std::int64_t now) noexcept {
    if (measures_scan_)
      add_scan(now);
    else
      add_time(now);
    auto result = paid_ >= price_;
    paid_ = result ? paid_ - price_ : 0;
    return result;
  }

  // -- measuring --------------------------------------------------------------

  /// How the time of execution is measured.
  enum class measure {
    no,
    /// Elapsed time.
    elapsed,
    /// The time of the thread: see `thread_time`.
    of_thread,
  };

  /// Starts a measurement of what nodes execute, without the protocol around
  /// it.
  void begin_measurement(measure precision) noexcept {
    precision_ = precision;
    measured_ = 0;
  }

  /// Ends the measurement. @returns nanoseconds.
  std::int64_t end_measurement() noexcept {
    precision_ = measure::no;
    return measured_;
  }

  /// Excludes what was not execution.
  void exclude(std::int64_t ns) noexcept {
    measured_ -= ns;
  }

  /// Executes nodes by `execute`, which is measured if that is wanted.
  /// @returns what `execute` returns.
  template <class Execute>
  bool run(host& env, Execute&& execute) {
    if (!measures_scan_)
      return run_measured(env, execute);
    add_scan(env.elapsed());
    auto result = run_measured(env, execute);
    add_time(env.elapsed());
    return result;
  }

private:
  /// The maximal number of hand-overs that slow tags pay for.
  static constexpr std::int64_t most_paid = 256;

  template <class Execute>
  bool run_measured(host& env, Execute& execute) {
    if (precision_ == measure::no)
      return execute();
    auto precise = precision_ == measure::of_thread;
    auto begin = env.time(precise);
    auto result = execute();
    measured_ += env.time(precise).since(begin);
    return result;
  }

  /// Excludes the time since the last read of the clock from execution.
  void add_scan(std::int64_t now) noexcept {
    scan_ += now - last_read_;
    last_read_ = now;
  }

  void add_time(std::int64_t now) noexcept {
    auto took = std::max<std::int64_t>(now - last_read_, 1);
    last_read_ = now;
    auto payment = took < price_ ? took : took * slow_tag_pays;
    paid_ = std::min(paid_ + payment, price_ * most_paid);
    if (executed_ == 0)
      return;
    // Grow slowly, because the node may become slow.
    auto tags = between_reads * static_cast<std::int64_t>(executed_) / took;
    auto most = std::min<std::size_t>(2 * next_window_, most_tags);
    next_window_
      = std::clamp(static_cast<std::size_t>(tags), std::size_t{1}, most);
    executed_ = 0;
  }

  static constexpr auto unlimited = ~std::size_t{0};

  measure precision_ = measure::no;
  std::int64_t measured_ = 0;
  std::int64_t last_read_ = 0;
  std::int64_t paid_ = 0; // nanoseconds of execution
  std::int64_t price_ = interval;
  std::int64_t scan_ = 0; // nanoseconds of the call besides execution
  bool measures_scan_ = false;
  std::size_t executed_ = 0; // tags since the last read
  std::size_t window_ = unlimited;
  std::size_t next_window_ = 1;
};

} // namespace caf::rosia::engine
