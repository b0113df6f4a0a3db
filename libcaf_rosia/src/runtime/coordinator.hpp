// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "base/growing_interval.hpp"
#include "caf/rosia/fwd.hpp"
#include "engine/negotiation.hpp"
#include "runtime/checkpoint_supervision.hpp"
#include "runtime/end_progress.hpp"
#include "runtime/late_nodes.hpp"
#include "runtime/messages.hpp"
#include "runtime/stage_timer.hpp"

#include <caf/typed_event_based_actor.hpp>

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
/// Tests: test/application/ending_test.cpp,
/// test/runtime/lost_coordinator_test.cpp.
class coordinator
  : public coordinator_handle::base,
    public engine::negotiation::host {
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

  // -- implementation ---------------------------------------------------------

  /// Ends the run, unless the final checkpoint is still missing.
  void finish();

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

  /// Logs which nodes were late, if any.
  void blame();

  /// Logs which answers are missing, at growing intervals.
  void remind_of_answers();

  /// Logs which nodes the current stage waits for.
  void name_awaited_nodes(const std::string& lapse);

  /// Limits the time that nodes may take to reach the final tag.
  void limit_execution(std::uint64_t deadline);

  /// Ends the stage once no node has made progress for the grace period. Until
  /// then, logs the lack of progress at growing intervals.
  void check_progress(std::uint64_t deadline);

  /// Logs which node lags, at growing intervals.
  void report_backlog();

  std::shared_ptr<detail::runtime> runtime_;
  detail::run_context& run_;
  engine::negotiation negotiation_;
  std::optional<detail::checkpoint_supervision> checkpoints_;
  std::optional<int> final_status_; // once all nodes have left
  logical_time proposal_ = never;   // of the last round
  bool was_requested_ = false;      // there was a round
  bool announced_signal_ = false;
  detail::stage_timer timer_;
  detail::end_progress progress_;
  detail::growing_interval backlog_interval_{1};
  std::int64_t looks_began_ = 0; // in the stage `executing`
  std::vector<connection_lost> lost_connections_;
  detail::late_nodes late_;
  stage late_stage_ = stage::running;
};

} // namespace caf::rosia
