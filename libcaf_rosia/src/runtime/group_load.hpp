// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "engine/group.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace caf::rosia::detail {

/// Measures how light the nodes of an executor are, from the duration of its
/// calls. While nodes are light, or a single node is heavy, one call of several
/// is measured. After long calls, the time of the thread is measured, because
/// other programs may have had the processor. If the thread needed that time,
/// each of several nodes is measured until the heavy ones are found. Tests:
/// test/runtime/group_load_test.cpp.
class group_load {
public:
  /// The maximal duration of light tags, in nanoseconds. Nodes with such tags
  /// are better executed together, because waking each other costs as much.
  static constexpr std::int64_t light_tag = 1000;

  /// The minimal duration of heavy tags, in nanoseconds. A node with such tags
  /// gains more on a worker of its own than waking it costs.
  static constexpr std::int64_t heavy_tag = 3000;

  /// The minimal duration of heavy tags of members of a loop that may be
  /// executed as a whole. While a member is alone, each of its messages
  /// involves the loop time table.
  static constexpr std::int64_t heavy_tag_in_loop = 15'000;

  /// The minimal duration of long tags, in nanoseconds. A node must not delay
  /// its group for as long.
  static constexpr std::int64_t long_tag = 1'000'000;

  /// Presumes that nodes are light after one tag, unless it takes long.
  void presume_light() noexcept {
    presumes_ = true;
    reset();
  }

  /// Sets the maximal duration of light tags, in nanoseconds.
  void set_light_tag(std::int64_t ns) noexcept {
    light_tag_ = ns;
  }

  /// Returns whether a member of a group, as measured, is better executed
  /// alone.
  /// @param in_loop whether it belongs to a loop within this process.
  static bool is_heavy(const engine::group::member_load& x,
                       bool in_loop) noexcept {
    if (in_loop)
      return x.samples >= x.few_samples && x.mean >= heavy_tag_in_loop;
    return (x.samples >= x.enough_samples && x.mean >= heavy_tag)
           || (x.samples >= x.few_samples && x.least >= light_tag);
  }

  /// Starts again, with other nodes.
  /// @param heavy how often one of the nodes was found to be heavy. Each time,
  ///        it must execute more tags until it counts as light.
  void reset(unsigned heavy = 0) noexcept {
    auto presumes = presumes_;
    auto longest = light_tag_;
    *this = {};
    presumes_ = presumes;
    light_tag_ = longest;
    presumed_ = may_presume_ = presumes && heavy == 0;
    needed_ <<= std::min(2 * heavy, 40u);
  }

  /// Starts again without a node that was heavy. Each of the rest is measured
  /// for as long as before, because more of them may be heavy.
  void forget_heavy() noexcept {
    auto last = *this;
    reset();
    precise_ = last.precise_;
    watched_ = last.watched_;
    next_watch_ = last.next_watch_;
  }

  /// Returns whether nodes are presumed to be light after one tag.
  bool presumes_light() const noexcept {
    return presumes_;
  }

  // -- calls ------------------------------------------------------------------

  /// Returns whether to measure the next call.
  bool wants_time() noexcept {
    return (calls_++ & skipped_) == 0 || measures_each();
  }

  /// Returns whether to measure the time of the thread, not elapsed time.
  bool precise() const noexcept {
    return precise_;
  }

  /// Records that a call executed `tags` of this many nodes, and took `ns`
  /// nanoseconds.
  void note(std::uint64_t tags, std::int64_t ns, std::size_t nodes) noexcept {
    tags_ += tags;
    ns_ += ns;
    ++calls_in_mean_;
    if (may_presume_) {
      // Other programs may have prolonged the first tag.
      presumed_ = takes_little(first_tag);
      light_ = presumed_ && tags_ > 0;
    }
    if (tags_ < tags_per_mean
        || (calls_in_mean_ < calls_per_mean && tags_ < tags_of_long_calls))
      return;
    auto takes_long = !takes_little();
    if (!std::exchange(precise_, takes_long) && takes_long) {
      presumed_ = may_presume_ = false;
      skipped_ = 0;
      begin_mean();
      return;
    }
    executed_ += tags_;
    watched_ -= std::min(watched_, tags_);
    light_ = !takes_long && (presumed_ || executed_ >= needed_);
    heavy_ = takes_long;
    mean_ = ns_ / static_cast<std::int64_t>(tags_);
    presumed_ = may_presume_ = false;
    // The heavy ones of several nodes must be found.
    if (takes_long && nodes > 1) {
      watched_ = next_watch_;
      next_watch_ = std::min(next_watch_ * 2, longest_watch);
    }
    // A heavy node among many light ones hardly shows.
    if (executed_ >= next_check_) {
      watched_ = std::max(watched_, tags_for_check(nodes));
      next_watch_ = std::max(next_watch_ / 2, first_watch);
      next_check_ = executed_ + tags_per_check;
    }
    skipped_ = light_ || (takes_long && nodes == 1) ? calls_per_time - 1 : 0;
    begin_mean();
  }

  /// Returns whether recent tags were not light, and the thread needed that
  /// time.
  bool heavy() const noexcept {
    return heavy_;
  }

  /// Returns the recent mean duration of a tag, in nanoseconds; the maximum
  /// while it is unknown.
  std::int64_t mean() const noexcept {
    return mean_;
  }

  /// Returns the mean duration of the tags that were measured since the last
  /// mean, in nanoseconds; 0 if there is none.
  std::int64_t latest() const noexcept {
    return tags_ == 0 ? 0 : ns_ / static_cast<std::int64_t>(tags_);
  }

  /// Returns whether to measure each node.
  bool measures_each() const noexcept {
    return watched_ > 0;
  }

  /// Returns whether recent tags were light.
  bool light() const noexcept {
    return light_;
  }

  /// Returns whether the nodes may be light, and executed little so far.
  bool presumed_light() const noexcept {
    return presumed_;
  }

  // -- calls in vain ----------------------------------------------------------

  /// Records whether a call executed anything. Called in physical time: in a
  /// run as fast as possible, a node that waits for promises may soon have work
  /// for another worker.
  void note_call(bool executed) noexcept {
    idle_calls_ = executed ? 0 : idle_calls_ + 1;
  }

  /// Delays the time at which the nodes are calm again.
  /// @param long_stints how often a node left its group to execute tags that
  ///        were long.
  void delay_calm(int long_stints) noexcept {
    calls_until_calm_ = first_calm << std::clamp(long_stints, 0, 16);
  }

  /// Keeps nodes calm that were calm before they were joined.
  void stay_calm() noexcept {
    idle_calls_ = calls_until_calm_;
  }

  /// Returns whether the nodes executed anything since the last reset.
  bool has_executed() const noexcept {
    return tags_ + executed_ > 0;
  }

  /// Returns whether these tags were light, as far as is known.
  bool is_short() const noexcept {
    return tags_ > 0 ? takes_little(first_tag) : mean_ <= light_tag_;
  }

  /// Returns whether the nodes were called many times in a row without
  /// executing anything: for promises that they pass on. They are better called
  /// together.
  bool calm() const noexcept {
    return idle_calls_ >= calls_until_calm_;
  }

  // -- neighbours -------------------------------------------------------------

  /// Returns whether calm nodes look for neighbours now, at growing intervals.
  bool wants_calm_neighbours() const noexcept {
    return calm() && std::has_single_bit(idle_calls_);
  }

  /// Returns whether to look for light neighbours now, at growing intervals.
  bool wants_neighbours() noexcept {
    auto executed = executed_ + tags_;
    if (!light_ || executed < next_look_)
      return false;
    next_look_ = executed + pause_;
    pause_ = std::min(pause_ * 2, longest_pause);
    return true;
  }

  /// Makes the next search for neighbours due at once, because the last one had
  /// no effect.
  void look_again() noexcept {
    next_look_ = executed_ + tags_;
    pause_ = first_pause;
  }

  /// Limits the number of tags in the next call, so that no more tags are
  /// measured than necessary.
  std::size_t limit(std::size_t budget) const noexcept {
    return measures_each() ? std::min<std::size_t>(budget, watched_) : budget;
  }

private:
  /// Returns the number of tags that usually show which nodes are heavy.
  static std::uint64_t tags_for_check(std::size_t nodes) noexcept {
    return std::clamp<std::uint64_t>(
      nodes * engine::group::member_load::enough_samples, least_watch,
      first_watch);
  }

  void begin_mean() noexcept {
    tags_ = 0;
    ns_ = 0;
    calls_in_mean_ = 0;
  }

  /// Returns whether recent tags were light, with an allowance of `besides`
  /// nanoseconds.
  bool takes_little(std::int64_t besides = 0) const noexcept {
    return ns_ <= light_tag_ * static_cast<std::int64_t>(tags_) + besides;
  }

  /// The allowance for the first tag of a node, which finds nothing in the
  /// processor's cache, in nanoseconds.
  static constexpr std::int64_t first_tag = 5'000;
  static constexpr std::uint32_t calls_per_time = 8; // a power of two
  static constexpr std::uint64_t tags_per_mean = 64;
  // In physical time, a large group executes `tags_per_mean` in each call. One
  // call may take long only because other programs had the processor.
  static constexpr std::uint32_t calls_per_mean = 4;
  static constexpr std::uint64_t tags_of_long_calls = 4096;
  static constexpr std::uint64_t least_watch = 256;
  static constexpr std::uint64_t first_watch = 4096;
  static constexpr std::uint64_t longest_watch = 1 << 20;
  static constexpr std::uint64_t tags_per_check = 1 << 17;
  static constexpr std::uint32_t first_calm = 256;
  static constexpr std::uint64_t first_pause = 8;
  static constexpr std::uint64_t longest_pause = 1 << 16;

  std::uint32_t calls_ = 0;
  std::uint32_t skipped_ = 0;       // a mask of `calls_`
  std::uint32_t calls_in_mean_ = 0; // that were measured for the next mean
  std::uint32_t idle_calls_ = 0;    // in a row
  std::uint32_t calls_until_calm_ = first_calm;
  std::uint64_t tags_ = 0;     // in these calls
  std::int64_t ns_ = 0;        // duration of these calls
  std::uint64_t executed_ = 0; // tags in all measured calls
  std::uint64_t needed_ = 64;  // tags until nodes count as light
  std::uint64_t watched_ = 0;  // tags in which each node is measured
  std::uint64_t next_watch_ = first_watch;
  std::uint64_t next_check_ = tags_per_check / 8;
  std::uint64_t next_look_ = 0;
  std::uint64_t pause_ = first_pause;
  bool precise_ = false;
  bool light_ = false;
  bool heavy_ = false;
  std::int64_t mean_ = std::numeric_limits<std::int64_t>::max();
  bool presumes_ = false; // kept by `reset`
  std::int64_t light_tag_ = light_tag;
  bool may_presume_ = false; // until the first mean
  bool presumed_ = false;    // until the first mean, if tags are light
};

} // namespace caf::rosia::detail
