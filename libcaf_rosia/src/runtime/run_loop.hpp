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

namespace caf::rosia::detail {

/// Runs an application, from start to end, on the thread that called
/// `application::run`: starts the nodes, and then keeps the time.
class run_loop {
public:
  explicit run_loop(std::shared_ptr<runtime> run);

  /// @returns the status.
  int run();

private:
  /// Makes what the run consists of, and starts the nodes.
  void start();

  /// Makes what runs the nodes, and the coordinator.
  void prepare();

  /// Agrees on the start with the other processes. @returns whether it begins.
  bool begin_together();

  /// Aborts the application at the time that the option `timeout` says.
  void limit_duration();

  void on_signal(int signal, int count);

  /// Ends this process without the coordinator, which is elsewhere, if that
  /// does not react to a second signal.
  void expect_abort();

  /// A signal came while the thread of the run writes files.
  /// @param count how many have requested an end since the run has ended.
  void on_late_signal(int signal, int count);

  /// A signal has requested a report. Requests that come soon after one another
  /// count as one, because each report keeps the coordinator busy for a while,
  /// and the coordinator has deadlines to watch.
  void request_report();

  /// Logs how many values lie beyond the final tag, and for which nodes.
  void report_unexecuted() const;

  /// Lets go of the actors, and completes the files. Meanwhile signals have no
  /// effect but `on_late_signal`. @returns the status.
  int finish(signal_watch& signals);

  /// @returns the status.
  int complete_files(int status);

  /// Writes the end of the run where it is recorded.
  void end_recording(int status);

  /// Some of the trace could not be written.
  /// @returns the status that `run` ends with instead of this one.
  int report_trace_loss(int status);

  /// A file that was requested is not there, or not complete.
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
