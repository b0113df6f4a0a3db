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

/// Ends the process, without a message, if the threads that must end it hang. A
/// thread that writes to the log or to the trace may block forever if nothing
/// reads the pipe that it writes to. This must not keep the process from
/// ending. For the same reason, the thread that runs the application writes to
/// neither. From any thread. A node's `rosia::watchdog` is unrelated. Tests:
/// test/runtime/report_test.cpp.
class watchdog {
public:
  /// Time in addition to the grace period for anything that the end of the
  /// process depends on.
  static constexpr std::chrono::seconds patience_after_grace_period{2};

  /// @param run must outlive this object.
  explicit watchdog(run_context& run) noexcept : run_(&run) {
    // nop
  }

  // -- the coordinator --------------------------------------------------------

  /// Ends the process if the coordinator does not handle its present messages
  /// in time. Does nothing if the coordinator is in another process, which
  /// watches it.
  void expect_pong();

  /// Stores the coordinator's answer to the ping with this number: it has
  /// handled all earlier messages.
  void pong(std::uint64_t number) noexcept {
    pong_.store(number);
  }

  /// Sends the coordinator a message when elapsed time is `ns`, and expects it
  /// to be handled in time. Waits longer if the process stood still.
  /// @returns a number for `timekeeper::cancel`.
  template <class T>
  std::uint64_t send_at(std::int64_t ns, const T& message) {
    return run_->time().deadline_at(ns, [this, message] {
      send_anonymously(run_->actors().coordinator(), message);
      expect_pong();
    });
  }

  // -- the log ----------------------------------------------------------------

  /// Writes to the log. Ends the process if that blocks for too long, so the
  /// threads that must end the process may call it.
  void log(spdlog::level::level_enum level, const std::string& text);

  // -- nodes ------------------------------------------------------------------

  /// Calls `give_up`, on the thread that runs the application, if the nodes of
  /// this process do not leave in time.
  void expect_exits(std::function<void()> give_up);

private:
  /// Returns the deadline for something that begins now.
  std::int64_t deadline() const;

  /// Ends the process if `check` does not return true in time.
  void expect(std::function<bool()> check);

  run_context* run_;
  std::atomic<std::uint64_t> pings_{0};
  std::atomic<std::uint64_t> pong_{0};
};

} // namespace caf::rosia::detail
