// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/shutdown/shutdown_report.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace caf::rosia::detail {

class phase_list;
class report_builder;

/// The course of a shutdown: its stage, reason, deadline, failures and status.
/// Not synchronized: see `shutdown_state`. Tests: test/shutdown/rooms_test.cpp.
class shutdown_course {
public:
  using clock = std::chrono::steady_clock;

  /// A part of the program that failed.
  struct failure {
    part_report::kind kind;
    std::string name;
    std::string phase;
    std::string error;
  };

  explicit shutdown_course(std::chrono::nanoseconds deadline)
    : deadline_(deadline) {
    // nop
  }

  // -- beginning and end ------------------------------------------------------

  /// Begins the shutdown. @returns whether this was the first call.
  bool begin(shutdown_reason reason);

  const shutdown_reason& reason() const noexcept {
    return reason_;
  }

  std::optional<clock::time_point> begun_at() const noexcept {
    return begun_at_;
  }

  /// Aborts the shutdown, and begins it if necessary.
  /// @returns false if it ended, or is aborted already.
  bool abort(int status, const std::string& reason);

  std::optional<clock::time_point> aborted_at() const noexcept {
    return aborted_at_;
  }

  /// Sets the stage: "running", the name of a phase, or "aborted".
  void enter_stage(const std::string& stage) {
    stage_ = stage;
  }

  /// Ends the shutdown.
  void finish();

  bool is_over() const noexcept {
    return over_;
  }

  // -- deadline ---------------------------------------------------------------

  std::chrono::nanoseconds deadline() const noexcept {
    return deadline_;
  }

  void deadline(std::chrono::nanoseconds duration) noexcept {
    deadline_ = duration;
  }

  /// Returns when the deadline passes. @pre The shutdown began.
  clock::time_point deadline_at() const;

  /// Restarts the time of the deadline.
  void restart_deadline() noexcept {
    deadline_since_ = clock::now();
  }

  // -- failures and status ----------------------------------------------------

  void add_failure(failure entry);

  /// Makes `status` a lower bound of the result, unless the shutdown is
  /// aborted.
  void worsen_status(int status) noexcept;

  /// Returns the status of the abort, or, without one, the status for
  /// participants that are aborted.
  int abort_status() const noexcept;

  /// @param clean whether all participants ended.
  int result(bool clean) const noexcept;

  void set_status(int status) noexcept {
    status_ = status;
  }

  int status() const noexcept {
    return status_;
  }

  // -- reports ----------------------------------------------------------------

  void add_to(report_builder& builder) const;

  void add_failures_to(report_builder& builder, phase_list& phases) const;

private:
  shutdown_reason reason_;
  std::optional<clock::time_point> begun_at_;
  std::optional<clock::time_point> aborted_at_;
  clock::time_point deadline_since_;
  std::chrono::nanoseconds deadline_;
  bool over_ = false;
  int status_ = 0;
  int worst_status_ = 0; // the highest status that occurred
  std::string stage_ = "running";
  std::vector<failure> failures_;
};

} // namespace caf::rosia::detail
