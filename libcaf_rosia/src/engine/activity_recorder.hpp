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
    std::uint32_t code, const logical_time& tag, host& env) {
    if (pieces_until_read_ == 0)
      read_time(env);
    --pieces_until_read_;
    cell_.begin(code, tag);
  }

  /// It has ended.
  void end() noexcept {
    cell_.end();
  }

  void end(std::uint32_t code) noexcept {
    cell_.end(code);
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
    pieces_until_read_ = now - cell_.time() > slow_code ? 1 : pieces_per_read;
    cell_.set_time(now);
  }

  activity_cell cell_; // with the time that was read last
  std::uint32_t pieces_until_read_ = 0;
};

} // namespace caf::rosia::engine
