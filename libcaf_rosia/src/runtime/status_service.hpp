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

/// Knows how the application is, and reports it: how far its end has come, and
/// how each node and each process is. From any thread, unless said otherwise.
class status_service {
public:
  using answers = session::answers;

  // -- constructors, destructors ----------------------------------------------

  /// @param run, runners outlive it.
  status_service(run_context& run, node_runners& runners);

  ~status_service();

  // -- the application's state ------------------------------------------------

  /// The nodes have started.
  void note_start();

  /// The run is over, also where there is no coordinator to say so.
  /// @returns the status.
  int note_end();

  /// How far the application's end has come. Nothing follows after it is over,
  /// whatever others still say.
  /// @param final as far as there is a final tag.
  void set_stage(application_stage stage, logical_time final, int status);

  /// Why the application is aborted; the first reason counts.
  void set_reason(const std::string& reason);

  application_stage stage() const;

  logical_time final() const;

  std::string reason() const;

  /// Notes how another process is.
  void note(engine::process_id process, process_report status);

  /// Notes that another process is gone.
  void note_loss(engine::process_id process);

  // -- reports ----------------------------------------------------------------

  /// Observes the nodes, those of other processes too; waits for those that are
  /// busy, but not for long.
  report look();

  /// The same, without asking other processes.
  report look_here();

  /// The same where the coordinator's process does not answer.
  /// @param why the error of the request to it.
  report look_alone(const caf::error& why);

  /// Adds the answers of the others to the report of the coordinator's process.
  report complete(report own, const answers& of_others);

  /// What there is to report without the nodes.
  report summary() const;

  /// How this process and its nodes are; the nodes from before an abort,
  /// if it has come to that.
  /// @param log_since the lines of the log with greater numbers are added, if
  ///        there is a live page.
  process_report_reply local_report(std::uint64_t log_since);

  /// How this process is.
  process_report own_report() const;

  // -- single nodes, for the coordinator --------------------------------------

  /// What is known of a node without asking it, as text.
  std::string describe(engine::node_id id);

  /// Tells whether a node's code runs, as far as it is known.
  bool runs_code(engine::node_id id);

  // -- the log ----------------------------------------------------------------

  /// Logs a report, and writes it to the file that the option `report` names.
  void publish(const report& status);

  void publish(const report& status, const std::string& text);

  /// Publishes the report of an abort.
  void publish_last_report();

  /// Whether the log also names nodes that have not caused an abort.
  bool verbose_end() const;

private:
  /// Adds what is on the live page besides a report.
  void add_counts(process_report_reply& to, std::uint64_t log_since);

  report make_report(const observation& nodes);

  /// Adds what another process has answered, or that it has not.
  void add(report& to, engine::process_id process,
           const std::optional<process_report_reply>& answer);

  /// What another process reported of a node, not long ago; null if nothing.
  const node_report* remote_report(engine::node_id id);

  engine::process_id process_count() const noexcept;

  run_context* run_;
  node_runners* runners_;
  answers remote_reports_; // for the coordinator; none before it has asked
  std::int64_t remote_reports_at_ = 0;
  mutable std::mutex mutex_; // protects what follows
  report summary_;           // without nodes
};

} // namespace caf::rosia::detail
