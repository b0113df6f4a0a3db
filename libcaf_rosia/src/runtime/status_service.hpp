// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/report.hpp"
#include "runtime/node_runners.hpp"
#include "runtime/run_context.hpp"
#include "runtime/session.hpp"

#include <caf/error.hpp>

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

namespace caf::rosia::detail {

/// Tracks the state of the application, its nodes and processes, and makes
/// reports. From any thread, unless said otherwise. Tests:
/// test/runtime/status_service_test.cpp.
class status_service {
public:
  using answers = session::answers;

  // -- constructors, destructors ----------------------------------------------

  /// @param run,runners must outlive this object.
  status_service(run_context& run, node_runners& runners);

  ~status_service();

  // -- the application's state ------------------------------------------------

  /// Sets the stage after the start of the nodes.
  void note_start();

  /// Sets the stage after the run, even without a coordinator.
  /// @returns the status.
  int note_end();

  /// Sets the stage of the application. Has no effect after the end.
  /// @param final `forever` if there is no final tag.
  void set_stage(application_stage stage, logical_time final, int status);

  /// Sets the reason of an abort. The first reason counts.
  void set_reason(const std::string& reason);

  application_stage stage() const;

  logical_time final() const;

  std::string reason() const;

  /// Stores the state of another process.
  void note(engine::process_id process, process_report status);

  void note_loss(engine::process_id process);

  // -- reports ----------------------------------------------------------------

  /// Observes all nodes, including those of other processes. Waits a short time
  /// for busy nodes.
  application_report look();

  /// Makes a report without asking other processes.
  application_report look_here();

  /// Makes a report if the coordinator's process does not answer.
  /// @param error the error of the request to it.
  application_report look_alone(const caf::error& error);

  /// Adds the answers of the other processes to the coordinator's report.
  application_report complete(application_report own, const answers& of_others);

  /// Makes a report without the nodes.
  application_report summary() const;

  /// Returns the state of this process and its nodes. After an abort, it is the
  /// state of the nodes before the abort.
  /// @param log_since lines of the log with greater numbers are added, if there
  ///        is a live page.
  process_report_reply local_report(std::uint64_t log_since);

  process_report own_report() const;

  // -- single nodes, for the coordinator --------------------------------------

  /// Describes a node as far as it is known without asking it.
  std::string describe(engine::node_id id);

  /// Returns whether a node's code runs, as far as it is known.
  bool runs_code(engine::node_id id);

  // -- the log ----------------------------------------------------------------

  /// Logs a report, and writes it to the file that the option `report` names.
  void publish(const application_report& status);

  void publish(const application_report& status, const std::string& text);

  /// Publishes the report of an abort.
  void publish_last_report();

  /// Returns whether the log also names nodes that did not cause an abort.
  bool verbose_end() const;

private:
  /// Adds the data of the live page that is not in a report.
  void add_counts(process_report_reply& to, std::uint64_t log_since);

  application_report make_report(const observation& nodes);

  /// Adds the answer of another process, or notes that there is none.
  void add(application_report& to, engine::process_id process,
           const std::optional<process_report_reply>& answer);

  /// Returns another process's recent report of a node; null if there is none.
  const node_report* remote_report(engine::node_id id);

  engine::process_id process_count() const noexcept;

  run_context* run_;
  node_runners* runners_;
  answers remote_reports_; // for the coordinator; empty at first
  std::int64_t remote_reports_at_ = 0;
  mutable std::mutex mutex_;   // protects the members below
  application_report summary_; // without nodes
};

} // namespace caf::rosia::detail
