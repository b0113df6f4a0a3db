// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "engine/group.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace caf::rosia::detail {

/// Finds out how light the nodes of an executor are, from what its calls take:
/// of light ones, and of a single heavy one, the clock is read in one call of
/// several. After long calls the time of the thread is measured, because other
/// programs may have had the processor. If the thread needed that time, each of
/// several nodes is measured until the heavy ones are found.
class group_load {
public:
  /// Nodes whose tags take less than this each, in nanoseconds, are better
  /// executed as one: to wake each other costs as much.
  static constexpr std::int64_t light_tag = 1000;

  /// A node whose tags take this each, in nanoseconds, gains more on a worker
  /// of its own than it costs to wake it.
  static constexpr std::int64_t heavy_tag = 3000;

  /// The same for a member of a loop that may be executed as a whole: while it
  /// is alone, each message takes part in the loop's time table.
  static constexpr std::int64_t heavy_tag_in_loop = 15'000;

  /// A node may not hold up others for as long as this, in nanoseconds.
  static constexpr std::int64_t long_tag = 1'000'000;

  /// Nodes count as light after one tag, unless it takes long.
  void presume_light() noexcept {
    presumes_ = true;
    reset();
  }

  /// Sets how long the tags of light nodes take at most, in nanoseconds.
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

  /// Begins anew, with other nodes.
  /// @param heavy how often one of them was found to be heavy: each time it
  ///        takes longer until it counts as light.
  void reset(unsigned heavy = 0) noexcept {
    auto presumes = presumes_;
    auto longest = light_tag_;
    *this = {};
    presumes_ = presumes;
    light_tag_ = longest;
    presumed_ = may_presume_ = presumes && heavy == 0;
    needed_ <<= std::min(2 * heavy, 40u);
  }

  /// Tells whether that is so.
  bool presumes_light() const noexcept {
    return presumes_;
  }

  // -- calls ------------------------------------------------------------------

  /// Tells whether to measure what the next call takes.
  bool wants_time() noexcept {
    return (calls_++ & skipped_) == 0 || measures_each();
  }

  /// Returns whether to measure the time of the thread, not elapsed time.
  bool precise() const noexcept {
    return precise_;
  }

  /// The call has executed `tags` of so many nodes, and taken `ns`.
  void note(std::uint64_t tags, std::int64_t ns, std::size_t nodes) noexcept {
    tags_ += tags;
    ns_ += ns;
    ++calls_in_mean_;
    if (may_presume_) {
      // The first tag may have been long only because of other programs.
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
    // If there are several nodes, the heavy ones have to be found.
    if (takes_long && nodes > 1) {
      watched_ = next_watch_;
      next_watch_ = std::min(next_watch_ * 2, longest_watch);
    }
    // A heavy one among many light ones hardly shows.
    if (executed_ >= next_check_) {
      watched_ = std::max(watched_, tags_for_check(nodes));
      next_watch_ = std::max(next_watch_ / 2, first_watch);
      next_check_ = executed_ + tags_per_check;
    }
    skipped_ = light_ || (takes_long && nodes == 1) ? calls_per_time - 1 : 0;
    begin_mean();
  }

  /// Returns whether what was executed of late was not light: the threads
  /// needed that time.
  bool heavy() const noexcept {
    return heavy_;
  }

  /// Returns how long a tag has taken of late, in nanoseconds.
  std::int64_t mean() const noexcept {
    return mean_;
  }

  /// Tells whether each node has to be measured.
  bool measures_each() const noexcept {
    return watched_ > 0;
  }

  /// Tells whether all that was executed of late was light.
  bool light() const noexcept {
    return light_;
  }

  /// Tells whether they may be light, and have executed little so far.
  bool presumed_light() const noexcept {
    return presumed_;
  }

  // -- neighbours -------------------------------------------------------------

  /// Tells whether to look for light neighbours now: again and again, but after
  /// ever longer times.
  bool wants_neighbours() noexcept {
    auto executed = executed_ + tags_;
    if (!light_ || executed < next_look_)
      return false;
    next_look_ = executed + pause_;
    pause_ = std::min(pause_ * 2, longest_pause);
    return true;
  }

  /// Nothing has come of the last look.
  void look_again() noexcept {
    next_look_ = executed_ + tags_;
    pause_ = first_pause;
  }

  /// How many tags the next call may execute, to measure no more of them than
  /// has to be.
  std::size_t limit(std::size_t budget) const noexcept {
    return measures_each() ? std::min<std::size_t>(budget, watched_) : budget;
  }

private:
  /// How many tags show who among so many nodes is heavy, in most cases.
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

  /// Tells whether what was executed is light, but for so many nanoseconds.
  bool takes_little(std::int64_t besides = 0) const noexcept {
    return ns_ <= light_tag_ * static_cast<std::int64_t>(tags_) + besides;
  }

  /// The first tag of a node finds nothing in the processor's cache.
  static constexpr std::int64_t first_tag = 5'000;
  static constexpr std::uint32_t calls_per_time = 8; // a power of two
  static constexpr std::uint64_t tags_per_mean = 64;
  // In physical time a large group executes as many in each call, and one call
  // may take long only because others had the processor.
  static constexpr std::uint32_t calls_per_mean = 4;
  static constexpr std::uint64_t tags_of_long_calls = 4096;
  static constexpr std::uint64_t least_watch = 256;
  static constexpr std::uint64_t first_watch = 4096;
  static constexpr std::uint64_t longest_watch = 1 << 20;
  static constexpr std::uint64_t tags_per_check = 1 << 17;
  static constexpr std::uint64_t first_pause = 8;
  static constexpr std::uint64_t longest_pause = 1 << 16;

  std::uint32_t calls_ = 0;
  std::uint32_t skipped_ = 0;       // a mask
  std::uint32_t calls_in_mean_ = 0; // that were measured, for the next mean
  std::uint64_t tags_ = 0;     // in calls that were measured, for the next mean
  std::int64_t ns_ = 0;        // that they took
  std::uint64_t executed_ = 0; // in all calls that were measured
  std::uint64_t needed_ = 64;  // executed before they count as light
  std::uint64_t watched_ = 0;  // tags for which each node is to be measured
  std::uint64_t next_watch_ = first_watch;
  std::uint64_t next_check_ = tags_per_check / 8;
  std::uint64_t next_look_ = 0;
  std::uint64_t pause_ = first_pause;
  bool precise_ = false;
  bool light_ = false;
  bool heavy_ = false;
  std::int64_t mean_ = 0;
  bool presumes_ = false; // for good
  std::int64_t light_tag_ = light_tag;
  bool may_presume_ = false; // since the last reset
  bool presumed_ = false;    // the same, and the mean is not long
};

} // namespace caf::rosia::detail
