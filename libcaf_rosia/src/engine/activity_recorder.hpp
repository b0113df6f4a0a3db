// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"
#include "engine/activity.hpp"
#include "engine/host.hpp"

#include <cstdint>

namespace caf::rosia::engine {

/// Records what a node does, for those who look on. The time costs: it is read
/// once for several pieces of code.
class activity_recorder {
public:
  /// The node is called: the next piece of code reads the time.
  void begin_call() noexcept {
    pieces_until_read_ = 0;
  }

  /// A piece of code begins.
  [[gnu::always_inline]] void begin(
    std::uint32_t code, logical_time tag, host& env) {
    if (pieces_until_read_ == 0)
      read_time(env);
    --pieces_until_read_;
    cell_.begin(code, tag, last_read_);
  }

  /// It has ended.
  void end() noexcept {
    cell_.end();
  }

  /// From any thread, at any time.
  activity read() const noexcept {
    return cell_.read();
  }

  /// How many pieces of code have begun. From any thread, at any time.
  std::uint64_t count() const noexcept {
    return cell_.count();
  }

private:
  /// Within a call, the time is read once for so many pieces; but after one
  /// that took longer than this, in nanoseconds, for each.
  static constexpr std::uint32_t pieces_per_read = 16;
  static constexpr std::int64_t slow_code = 5'000'000;

  [[gnu::noinline]] void read_time(host& env) {
    auto now = env.coarse_elapsed();
    pieces_until_read_ = now - last_read_ > slow_code ? 1 : pieces_per_read;
    last_read_ = now;
  }

  activity_cell cell_;
  std::int64_t last_read_ = 0; // by the observers' clock
  std::uint32_t pieces_until_read_ = 0;
};

} // namespace caf::rosia::engine
