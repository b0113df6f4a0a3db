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
  using mode = activity_cell::mode;

  /// The node is called: the next piece of code reads the time.
  void begin_call() noexcept {
    next_read_ = 0;
  }

  /// A piece of code begins.
  [[gnu::always_inline]] void begin(
    std::uint32_t code, const logical_time& tag, mode how, host& env) {
    if (cell_.version() >= next_read_) [[unlikely]]
      read_time(how, env);
    cell_.begin(code, tag, how);
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

  /// Differs for each piece of code.
  std::uint64_t version() const noexcept {
    return cell_.version();
  }

  /// The piece of code that runs, or the last one.
  std::uint32_t code() const noexcept {
    return cell_.code();
  }

  /// Whether it runs, and what it may do.
  mode how() const noexcept {
    return cell_.how();
  }

private:
  /// Within a call, the time is read once for so many pieces; but after one
  /// that took longer than this, in nanoseconds, for each.
  static constexpr std::uint64_t pieces_per_read = 16;
  static constexpr std::int64_t slow_code = 5'000'000;

  [[gnu::noinline]] void read_time(mode how, host& env) {
    auto now = env.coarse_elapsed(how == mode::executing);
    auto pieces = now - cell_.time() > slow_code ? 1 : pieces_per_read;
    next_read_ = cell_.version() + pieces * activity_cell::versions_per_piece;
    cell_.set_time(now);
  }

  activity_cell cell_;          // with the time that was read last
  std::uint64_t next_read_ = 0; // the version at which the time is read
};

} // namespace caf::rosia::engine
