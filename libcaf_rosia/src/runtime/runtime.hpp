// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"
#include "runtime/lag_monitor.hpp"
#include "runtime/node_runners.hpp"
#include "runtime/outside_requests.hpp"
#include "runtime/run_context.hpp"
#include "runtime/status_service.hpp"
#include "runtime/watchdog.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace caf::rosia::detail {

/// The run of an application. Shared by the thread in `run_loop`, the
/// coordinator, and the actor by which other processes reach this one. Its
/// functions end the run, in one way or another. Tests: test/application,
/// test/runtime/lost_coordinator_test.cpp.
class runtime {
public:
  // -- constructors, destructors ----------------------------------------------

  explicit runtime(std::shared_ptr<run_context> context);

  runtime(const runtime&) = delete;

  runtime& operator=(const runtime&) = delete;

  ~runtime();

  // -- properties -------------------------------------------------------------

  run_context& context() noexcept {
    return *context_;
  }

  /// Returns the objects that the nodes share.
  const std::shared_ptr<run_context>& shared_context() const noexcept {
    return context_;
  }

  const node_directory& nodes() const noexcept {
    return context_->nodes();
  }

  node_runners& runners() noexcept {
    return runners_;
  }

  status_service& status() noexcept {
    return status_;
  }

  outside_requests& requests() noexcept {
    return requests_;
  }

  detail::watchdog& watchdog() noexcept {
    return watchdog_;
  }

  lag_monitor& lag() noexcept {
    return lag_;
  }

  /// Returns a number that grows when a node approaches the final tag,
  /// including the reported progress of other processes. Called by the actor
  /// that ends the nodes.
  std::uint64_t count_progress(logical_time final);

  // -- before the start -------------------------------------------------------

  /// Connects this process with the given processes. On failure, completes the
  /// trace, with a record of the failed start.
  /// @throws std::runtime_error naming a process that does not answer.
  void meet(const std::vector<engine::process_id>& processes);

  /// Records in the trace of the coordinator's process that the application
  /// ends before its start. @param ended whether an end was requested.
  void trace_unstarted(bool ended);

  // -- the end, by the coordinator --------------------------------------------

  /// Finishes the run. Called after the exit of all nodes.
  void finish(int status);

  /// Ends the process, because some nodes cannot be stopped.
  [[noreturn]] void give_up(int status);

  /// Notes the loss of another process: nothing is sent there or expected from
  /// there.
  /// @returns its nodes.
  std::vector<engine::node_id> lose(engine::process_id process);

  // -- the end of a process without the coordinator, from any thread ----------

  /// Reports the loss of a process to the coordinator.
  void report_loss(const process_lost& loss);

  /// Aborts the nodes of this process, for a reason that the coordinator gives.
  void abort(const std::string& reason, int status = 1);

  /// Aborts the nodes of this process.
  void abort_nodes(int status = 1);

  /// Notes that the coordinator can no longer end this process in order: it
  /// exited, does not react, or sent something invalid.
  /// @param cause completes "the coordinator ...".
  void note_coordinator_loss(
    const std::string& cause = "was lost", int status = 1);

  /// Finishes the run. @param final `forever` if there is no final tag.
  void end_here(int status, logical_time final);

private:
  std::shared_ptr<run_context> context_;
  node_runners runners_;
  status_service status_;
  outside_requests requests_;
  detail::watchdog watchdog_;
  lag_monitor lag_;
};

} // namespace caf::rosia::detail
