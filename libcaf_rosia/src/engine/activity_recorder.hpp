// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"
#include "engine/activity.hpp"
#include "engine/host.hpp"

#include <cstdint>

namespace caf::rosia::engine {

/// Records the activity of a node for observers. Reading the clock is
/// expensive, so one read serves several pieces of code. Tests:
/// test/engine/snapshot_test.cpp.
class activity_recorder {
public:
  using mode = activity_cell::mode;

  /// Starts a call of the node: the next piece of code reads the clock.
  void begin_call() noexcept {
    next_read_ = 0;
  }

  /// Records the start of a piece of code.
  [[gnu::always_inline]] void begin(
    std::uint32_t code, const logical_time& tag, mode current, host& env) {
    if (cell_.version() >= next_read_) [[unlikely]]
      read_time(current, env);
    cell_.begin(code, tag, current);
  }

  /// Records its end.
  void end() noexcept {
    cell_.end();
  }

  /// Returns the activity. Any thread may call this at any time.
  activity read() const noexcept {
    return cell_.read();
  }

  /// Returns the number of pieces of code that were started. Any thread may
  /// call this at any time.
  std::uint64_t count() const noexcept {
    return cell_.count();
  }

  /// Returns a number that differs for each piece of code.
  std::uint64_t version() const noexcept {
    return cell_.version();
  }

  /// Returns the running piece of code, or the last one.
  std::uint32_t code() const noexcept {
    return cell_.code();
  }

  /// Returns whether it is running, and its kind.
  mode current_mode() const noexcept {
    return cell_.current_mode();
  }

private:
  /// The number of pieces of code in a call for each read of the clock. If the
  /// pieces since the last read took longer than `slow_code` nanoseconds, the
  /// next read follows after one piece.
  static constexpr std::uint64_t pieces_per_read = 16;
  static constexpr std::int64_t slow_code = 5'000'000;

  [[gnu::noinline]] void read_time(mode current, host& env) {
    auto now = env.coarse_elapsed(current == mode::executing);
    auto pieces = now - cell_.time() > slow_code ? 1 : pieces_per_read;
    next_read_ = cell_.version() + pieces * activity_cell::versions_per_piece;
    cell_.set_time(now);
  }

  activity_cell cell_;          // has the time that was read last
  std::uint64_t next_read_ = 0; // the version at which the time is read
};

} // namespace caf::rosia::engine
