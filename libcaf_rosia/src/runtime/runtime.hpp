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

/// The run of an application. Those who carry it out share it: the thread in
/// `run_loop`, the coordinator, and the actor by which other processes reach
/// this one. Its functions end the run, in one way or another.
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

  /// What the nodes share.
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

  /// Grows whenever a node comes nearer to the final tag, as far as other
  /// processes have told. Called by the actor that ends the nodes.
  std::uint64_t count_progress(logical_time final);

  // -- before the start -------------------------------------------------------

  /// Connects this process with others. If that fails, the trace says that the
  /// application has not started, and is complete.
  /// @throws std::runtime_error naming who does not answer.
  void meet(const std::vector<engine::process_id>& processes);

  /// Lets the trace of the coordinator's process say that the application ends
  /// before it has started. @param ended whether somebody wants it to.
  void trace_unstarted(bool ended);

  // -- the end, by the coordinator --------------------------------------------

  /// All nodes have left.
  void finish(int status);

  /// Ends the process: there are nodes that cannot be ended.
  [[noreturn]] void give_up(int status);

  /// Another process is gone: nothing more is sent there, nobody waits for it.
  /// @returns its nodes.
  std::vector<engine::node_id> lose(engine::process_id process);

  // -- the end of a process without the coordinator, from any thread ----------

  /// Tells the coordinator that a process is gone.
  void report_loss(const process_lost& loss);

  /// The nodes of this process have to leave at once, for a reason that the
  /// coordinator gives.
  void abort(const std::string& reason, int status = 1);

  /// The nodes of this process have to leave at once.
  void abort_nodes(int status = 1);

  /// The coordinator cannot end this process in order any more: it is gone,
  /// does not react, or has sent something invalid.
  /// @param how completes "the coordinator ...".
  void note_coordinator_loss(
    const std::string& how = "is gone", int status = 1);

  /// All is over. @param final as far as there is a final tag.
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
