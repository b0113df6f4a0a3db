// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "base/growing_interval.hpp"
#include "caf/rosia/fwd.hpp"
#include "engine/negotiation.hpp"
#include "runtime/checkpoint_coordination.hpp"
#include "runtime/messages.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <spdlog/common.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace caf::rosia {

namespace detail {

class run_context;

} // namespace detail

/// The actor that supervises an application's nodes, and owns the negotiation
/// of its end. Detached, because it must run while nodes occupy all workers.
class coordinator
  : public coordinator_handle::base,
    public engine::negotiation::host,
    public detail::checkpoint_coordination::host {
public:
  using super = coordinator_handle::base;

  using stage = engine::negotiation::stage;

  coordinator(caf::actor_config& cfg, std::shared_ptr<detail::runtime> run);

  ~coordinator() override;

  const char* name() const override;

protected:
  behavior_type make_behavior() override;

private:
  // -- overridden functions of engine::negotiation::host ----------------------

  void ask(engine::node_id node, logical_time proposal) override;

  void tell_final(engine::node_id node, logical_time final,
                  logical_time requested) override;

  void abort_node(engine::node_id node) override;

  void agreed(logical_time final) override;

  void ignored(logical_time proposal, logical_time final) override;

  void entered(stage current, std::uint64_t deadline) override;

  void late(engine::node_id node, stage current) override;

  void finished(int status) override;

  // -- overridden functions of checkpoint_coordination::host ------------------

  void command(engine::process_id process,
               const checkpoint_command& x) override;

  void concluded(logical_time tag, bool is_final, bool is_planned,
                 const std::string& problem) override;

  void skipped(logical_time tag, logical_time next) override;

  // -- implementation ---------------------------------------------------------

  /// Ends the run, unless the final checkpoint is still missing.
  void finish();

  /// Reports the loss of the final checkpoint, which also sets the exit status.
  void report_checkpoint_loss();

  /// Logs which processes the final checkpoint waits for, and gives up after
  /// `checkpoint.timeout`.
  void look_at_checkpoint();

  void note_lost_process(const process_lost& x);

  /// Waits before it blames a process. If the peer exited, the peer is to
  /// blame, and not the process that noticed.
  void note_lost_connection(const connection_lost& x);

  /// Blames a connection that two running processes have lost.
  void blame_connection(const connection_lost& x);

  /// Lets all processes log why the application ends.
  void announce_signal(const request_from_outside& x);

  /// Passes an injection point to the drill, if there is one.
  void rehearse(const char* step, engine::node_id node, logical_time tag);

  /// Aborts the application.
  void abort(const std::string& reason);

  std::string process_name(std::uint32_t process) const;

  /// Logs which nodes were late, if any.
  void blame();

  struct late_node {
    engine::node_id node;
    bool runs;
    std::string text; // description of the node
  };

  /// Adds a node with its current state.
  void add_late(std::vector<late_node>& to, engine::node_id node);

  /// Moves the nodes at fault to the front.
  /// @returns the number of nodes to name; the remaining ones are late because
  ///          of these.
  std::size_t move_culprits_first(std::vector<late_node>& nodes) const;

  /// Logs the lapse of the first `named` nodes, and how many of all `count`
  /// late nodes are not named.
  void tell_of(const std::vector<late_node>& nodes, std::size_t named,
               std::size_t count, spdlog::level::level_enum level,
               const std::string& lapse);

  /// Schedules `remind_of_answers` for the next warning.
  void remind();

  /// Logs which answers are missing, at growing intervals.
  void remind_of_answers();

  /// Logs which nodes the current stage waits for.
  void name_awaited_nodes(const std::string& lapse);

  /// Calls `overdue` for `deadline` after this time.
  void limit(std::chrono::nanoseconds duration, std::uint64_t deadline);

  /// Limits the time that nodes may take to reach the final tag.
  void limit_execution(std::uint64_t deadline);

  /// Calls `overdue` once no node has made progress for the grace period. Until
  /// then, logs the lack of progress at growing intervals.
  void check_progress(std::uint64_t deadline);

  /// Logs which node lags, at growing intervals.
  void report_backlog();

  void look_again(std::int64_t ns, std::uint64_t deadline);

  std::chrono::nanoseconds pause_between_looks() const;

  /// Returns the number of consecutive looks without progress that make up the
  /// grace period.
  std::int64_t looks_per_grace_period() const;

  std::shared_ptr<detail::runtime> runtime_;
  detail::run_context& run_;
  engine::negotiation negotiation_;
  std::optional<detail::checkpoint_coordination> checkpoints_;
  std::optional<int> final_status_; // once all nodes have left
  std::string final_problem_;       // why there is no final checkpoint
  std::size_t failed_plans_ = 0;    // planned checkpoints that failed
  bool awaits_checkpoint_ = false;
  logical_time proposal_ = never;   // of the last round
  bool was_requested_ = false;      // there was a round
  std::uint64_t deadline_call_ = 0; // of the current stage
  std::uint64_t look_call_ = 0;     // of `look_at_progress`
  std::int64_t stage_began_ = 0;
  std::int64_t looks_began_ = 0;         // in the stage `executing`
  detail::growing_interval interval_{1}; // between two warnings
  detail::growing_interval backlog_interval_{1};
  std::uint64_t last_progress_ = 0; // at the last look
  std::int64_t looks_without_progress_ = 0;
  std::vector<connection_lost> lost_connections_;
  std::vector<late_node> late_;
  stage late_stage_ = stage::running;
  bool made_progress_ = false; // late in spite of some progress
  bool gave_up_ = false;
  bool announced_signal_ = false;
};

} // namespace caf::rosia
