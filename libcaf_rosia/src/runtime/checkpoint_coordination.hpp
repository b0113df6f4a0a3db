// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"
#include "engine/remote_loop_table.hpp"
#include "runtime/messages.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace caf::rosia::detail {

/// Decides for the coordinator which checkpoints are taken, and when one is
/// complete. See section 8 of the semantics. Called by one thread at a time;
/// acts through its host. Tests: test/runtime/checkpoint_coordination_test.cpp.
class checkpoint_coordination {
public:
  // -- member types -----------------------------------------------------------

  class host {
  public:
    virtual ~host();

    virtual void command(engine::process_id process,
                         const checkpoint_command& x)
      = 0;

    /// Reports that a checkpoint is complete, or failed.
    /// @param is_planned whether it is one of those at regular tags.
    /// @param problem why it failed; empty if it is complete.
    virtual void concluded(logical_time tag, bool is_final, bool is_planned,
                           const std::string& problem)
      = 0;

    /// Reports that nodes had already passed the planned checkpoint at `tag`,
    /// so that there are fewer checkpoints than requested.
    virtual void skipped(logical_time tag, logical_time next) = 0;
  };

  // -- constructors -----------------------------------------------------------

  /// @param every nanoseconds between planned checkpoints; 0 if none are
  ///        planned.
  /// @param after the tag that all planned checkpoints follow.
  checkpoint_coordination(std::size_t processes, std::int64_t every,
                          logical_time after, host& env);

  // -- events -----------------------------------------------------------------

  /// Handles a reply of a process, or its request for a checkpoint.
  void note(const checkpoint_reply& x);

  /// Sets the final tag of the application, or lowers it.
  void end_at(logical_time tag);

  /// Stops all checkpoints, because the application is aborted.
  void stop();

  // -- properties -------------------------------------------------------------

  /// Returns whether the final checkpoint is not complete yet.
  bool awaits_final() const noexcept;

  /// Returns the processes that the final checkpoint waits for.
  std::vector<engine::process_id> awaited() const;

  logical_time final() const noexcept {
    return final_;
  }

private:
  using command = checkpoint_command::kind;

  /// A checkpoint that is not complete yet.
  struct attempt {
    logical_time tag;
    command type;
    std::vector<bool> missing; // by process
    logical_time reached = never;
    std::string problem;
    bool marking = false;
  };

  /// Starts the checkpoints that were requested before all processes were
  /// ready.
  void begin();

  void take(logical_time tag, command type);

  void ask();

  void note_answer(const checkpoint_reply& x);

  void note_part(const checkpoint_reply& x);

  /// Marks a checkpoint as complete in the coordinator's file, after all
  /// processes wrote their parts [8.5]. If a later checkpoint is complete, this
  /// one is dropped, because some processes may have removed their parts
  /// already. While a later one is being marked, this one waits.
  /// @returns whether the checkpoint was dropped.
  bool mark(std::size_t index);

  /// Marks the checkpoints that `mark` postponed.
  void mark_waiting();

  void conclude(std::size_t index);

  void tell_all(command type, logical_time tag);

  host& host_;
  std::size_t processes_;
  std::int64_t every_;
  logical_time after_;
  std::vector<attempt> attempts_;
  std::vector<bool> unanswered_;  // by process, while nodes are asked
  logical_time highest_ = never;  // the highest answer
  logical_time complete_ = never; // the last complete checkpoint
  std::vector<bool> unready_;     // by process: its nodes did not start yet
  bool asking_ = false;
  bool again_ = false; // another checkpoint was requested
  bool stopped_ = false;
  bool has_skipped_ = false;
  logical_time final_ = forever;
};

} // namespace caf::rosia::detail
