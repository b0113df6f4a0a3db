// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "base/signal_watch.hpp"
#include "runtime/runtime.hpp"

#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <system_error>

namespace caf::rosia::detail {

/// Runs an application from start to end, on the thread that called
/// `application::run`: starts the nodes, and then keeps the time [5.17]. Tests:
/// test/application, test/runtime/lost_coordinator_test.cpp.
class run_loop {
public:
  explicit run_loop(std::shared_ptr<runtime> run);

  /// @returns the status.
  int run();

private:
  /// Creates all parts of the run, and starts the nodes.
  void start();

  /// Creates the runners of the nodes, and the coordinator.
  void prepare();

  /// Agrees on the start with the other processes. @returns whether it starts.
  bool begin_together();

  /// Schedules the abort of the application after the option `timeout`.
  void limit_duration();

  void on_signal(int signal, int count);

  /// Ends this process if the coordinator, which is in another process, does
  /// not react to a second signal.
  void expect_abort();

  /// Handles a signal that arrived while the thread of the run writes files.
  /// @param count number of requests to end since the end of the run.
  void on_late_signal(int signal, int count);

  /// Requests a report, after a signal. Requests in quick succession count as
  /// one: each report keeps the coordinator busy for a while, and the
  /// coordinator has deadlines to watch.
  void request_report();

  /// Logs the number of values beyond the final tag, by node.
  void report_unexecuted() const;

  /// Releases the actors, and completes the files. During this, signals have no
  /// effect except by `on_late_signal`. @returns the status.
  int finish(signal_watch& signals);

  /// @returns the status.
  int complete_files(int status);

  /// Writes the end of the run to the recording, if there is one.
  /// @returns what the recording lacks; empty if it is complete.
  std::string end_recording(int status);

  /// Reports that a part of the trace could not be written.
  /// @returns the status of `run`, which replaces `status`.
  int report_trace_loss(int status, std::error_code problem);

  /// Reports that a requested file is missing or incomplete.
  /// @param text for the log. @param reason for the report.
  /// @returns the application's status.
  int report_loss(int status, const std::string& text,
                  const std::string& reason);

  /// @param problem empty if there is none.
  /// @returns the application's status.
  int report_problem(int status, const std::string& problem);

  std::shared_ptr<runtime> runtime_;
  run_context& context_;
  int checkpoint_signal_; // 0 if none
  bool report_is_due_ = false;
  std::int64_t next_report_ = std::numeric_limits<std::int64_t>::min();
};

} // namespace caf::rosia::detail
