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

/// The coordinator's part of checkpoints: which are taken, and when one is
/// complete. Section 8 of the semantics. Driven by calls from one thread at a
/// time; acts through its host.
class checkpoint_coordination {
public:
  // -- member types -----------------------------------------------------------

  class host {
  public:
    virtual ~host();

    /// Tells a process what to do.
    virtual void command(engine::process_id process,
                         const checkpoint_command& x)
      = 0;

    /// A checkpoint is complete, or will never be.
    /// @param problem empty if it is.
    virtual void concluded(logical_time tag, bool is_final,
                           const std::string& problem)
      = 0;

    /// Nodes were beyond the next one when the last one was written: there are
    /// fewer than were asked for.
    virtual void skipped(logical_time tag, logical_time next) = 0;
  };

  // -- constructors -----------------------------------------------------------

  /// @param every nanoseconds between those that are planned; 0 if none are.
  /// @param after the first one is later.
  checkpoint_coordination(std::size_t processes, std::int64_t every,
                          logical_time after, host& env);

  // -- events -----------------------------------------------------------------

  /// A process replies, or wants a checkpoint now.
  void note(const checkpoint_reply& x);

  /// The application ends at `tag`, or earlier than it would have.
  void end_at(logical_time tag);

  /// The application is aborted: none is taken any more.
  void stop();

  // -- properties -------------------------------------------------------------

  /// Tells whether the checkpoint at the end is still to be written.
  bool awaits_final() const noexcept;

  /// The processes that it waits for.
  std::vector<engine::process_id> awaited() const;

  logical_time final() const noexcept {
    return final_;
  }

private:
  using command = checkpoint_command::kind;

  /// A checkpoint under way.
  struct attempt {
    logical_time tag;
    command what;
    std::vector<bool> missing; // by process
    logical_time reached = never;
    std::string problem;
    bool marking = false;
  };

  /// All processes are ready: whatever was wanted before is done now.
  void begin();

  void take(logical_time tag, command what);

  void ask();

  void note_answer(const checkpoint_reply& x);

  void note_part(const checkpoint_reply& x);

  /// All processes have written theirs: the coordinator's file is told, unless
  /// a later one is complete, when some may have removed theirs again; where a
  /// later one is being marked, this one waits. @returns whether it is over.
  bool mark(std::size_t index);

  /// Marks one that has waited.
  void mark_waiting();

  void conclude(std::size_t index);

  void tell_all(command what, logical_time tag);

  host& host_;
  std::size_t processes_;
  std::int64_t every_;
  logical_time after_;
  std::vector<attempt> attempts_;
  std::vector<bool> unanswered_;  // by process, while nodes are asked
  logical_time highest_ = never;  // of the answers
  logical_time complete_ = never; // the last one that is
  std::vector<bool> unready_;     // by process: its nodes have not started
  bool asking_ = false;
  bool again_ = false; // somebody wants another one
  bool stopped_ = false;
  bool has_skipped_ = false;
  logical_time final_ = forever;
};

} // namespace caf::rosia::detail
