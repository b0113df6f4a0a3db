// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/sending.hpp"
#include "runtime/run_context.hpp"

#include <spdlog/common.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace caf::rosia::detail {

/// Ends the process, without a message, if those who have to end it hang. A
/// thread that writes to the log or to the trace may block for ever, because
/// nobody reads the pipe that they go to; that must not keep the process from
/// ending. For the same reason the thread that runs the application writes to
/// neither. From any thread.
class watchdog {
public:
  /// How much longer than the grace period anything may take that the end of
  /// the process depends on.
  static constexpr std::chrono::seconds patience_after_grace_period{2};

  /// @param run outlives it.
  explicit watchdog(run_context& run) noexcept : run_(&run) {
    // nop
  }

  // -- the coordinator --------------------------------------------------------

  /// Ends the process if the coordinator does not handle in time what it was
  /// sent until now. Does nothing if another process has the coordinator, which
  /// watches it.
  void expect_pong();

  /// The coordinator's answer to the ping with this number: it has handled all
  /// earlier messages.
  void pong(std::uint64_t number) noexcept {
    pong_.store(number);
  }

  /// Sends the coordinator a message when elapsed time is `ns`, and expects it
  /// to handle that: a bit later if the process stood still. @returns a number
  /// for `timekeeper::cancel`.
  template <class T>
  std::uint64_t send_at(std::int64_t ns, const T& message) {
    return run_->time().deadline_at(ns, [this, message] {
      send_anonymously(run_->coordinator(), message);
      expect_pong();
    });
  }

  // -- the log ----------------------------------------------------------------

  /// Writes to the log. Ends the process if that blocks for too long: so those
  /// who have to end the process may call it.
  void log(spdlog::level::level_enum level, const std::string& text);

  // -- nodes ------------------------------------------------------------------

  /// Calls `give_up`, on the thread that runs the application, if the nodes of
  /// this process do not leave in time.
  void expect_exits(std::function<void()> give_up);

private:
  /// The deadline for what begins now.
  std::int64_t deadline() const;

  /// Ends the process if `check` is not true in time.
  void expect(std::function<bool()> check);

  run_context* run_;
  std::atomic<std::uint64_t> pings_{0};
  std::atomic<std::uint64_t> pong_{0};
};

} // namespace caf::rosia::detail
