// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "runtime/checkpoint_coordination.hpp"
#include "runtime/stage_timer.hpp"

#include <cstddef>
#include <string>

namespace caf::rosia::detail {

class runtime;

/// The coordinator's work for checkpoints: sends the commands to the processes,
/// waits for the checkpoint at the end, and logs failures. Tests:
/// test/application/checkpoint_test.cpp.
class checkpoint_supervision : private checkpoint_coordination::host {
public:
  /// @param run has checkpoints, and must outlive this.
  explicit checkpoint_supervision(runtime& run);

  // -- before the end ---------------------------------------------------------

  /// Handles a reply of a process, or its request for a checkpoint.
  void note(const checkpoint_reply& x) {
    coordination_.note(x);
  }

  /// Sets the final tag of the application, or lowers it.
  void end_at(logical_time tag);

  /// Stops all checkpoints, because the application is aborted.
  void stop() {
    coordination_.stop();
  }

  // -- after all nodes left ---------------------------------------------------

  /// Returns whether the checkpoint at the end is still missing. The first call
  /// begins to wait for it.
  bool awaits_final();

  /// Logs which processes the checkpoint at the end waits for, and gives up
  /// after `checkpoint.timeout`.
  void look();

  /// Reports failures to take checkpoints.
  /// @param aborted whether the application is aborted, and needs none at the
  ///        end.
  /// @returns the status of the application, which a loss of the checkpoint at
  ///          the end turns into a failure.
  int conclude(int status, bool aborted);

private:
  void command(engine::process_id process,
               const checkpoint_command& x) override;

  void concluded(logical_time tag, bool is_final, bool is_planned,
                 const std::string& problem) override;

  void skipped(logical_time tag, logical_time next) override;

  runtime& run_;
  checkpoint_coordination coordination_;
  stage_timer timer_;
  std::string final_problem_;    // why there is no final checkpoint
  std::size_t failed_plans_ = 0; // planned checkpoints that failed
  bool waits_ = false;           // for the final checkpoint
};

} // namespace caf::rosia::detail
