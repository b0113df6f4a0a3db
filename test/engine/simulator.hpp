// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "oracle.hpp"
#include "simulated_application.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace engine_test {

/// A checkpoint of one run, from which another run resumes.
struct checkpoint {
  logical_time tag;
  std::vector<network::node_part> parts; // by node
  std::vector<behavior> code;            // states at the checkpoint
};

/// The parameters of a simulation.
struct simulation_options {
  /// Whether groups are fused and split at any time; otherwise each node is
  /// alone.
  bool regroups = false;

  /// The period of checkpoints in nanoseconds.
  std::optional<std::int64_t> checkpoint_period = {};

  /// Percent of the steps that demand a checkpoint.
  std::uint32_t demands = 0;

  /// The checkpoint from which to resume; null for a run from the start.
  const checkpoint* from = nullptr;
};

/// Runs an application once. A seeded scheduler chooses at random among all
/// events that threads, a network and a clock could cause. Messages may be
/// late, but are in order between two nodes. Wakes may be late, but are not
/// lost. During an activation of one node, other nodes may run at each point
/// at which they could.
class simulator : public simulated_application {
public:
  /// @param seed of the schedule.
  simulator(const plan& planned, std::uint64_t seed,
            const simulation_options& options = {});

  /// Runs the application to its end.
  /// @throws broken_rule if the engine breaks a rule, or makes no progress.
  void run();

  // -- results ----------------------------------------------------------------

  /// Returns the executed physical values.
  const std::vector<stamp>& stamps() const noexcept {
    return stamps_;
  }

  /// Returns the tags of demanded checkpoints.
  const std::vector<logical_time>& demanded() const noexcept {
    return demanded_;
  }

  /// Returns a checkpoint at this tag; none if a part is missing. If a node has
  /// several parts, chooses one at random.
  std::optional<checkpoint> find_checkpoint(
    logical_time tag, random_source& rng) const;

  std::uint64_t steps() const noexcept {
    return steps_;
  }

  /// Returns how often only physical time remained to wait for.
  std::uint64_t waits() const noexcept {
    return waits_;
  }

  /// Returns how often groups were fused, and split.
  std::uint64_t fused() const noexcept {
    return fused_;
  }

  std::uint64_t split_groups() const noexcept {
    return split_;
  }

  /// Returns how many loops were divided.
  std::uint64_t divided() const noexcept {
    return divided_;
  }

private:
  // -- the schedule -----------------------------------------------------------

  /// Performs an event. @returns false if none is possible without the clock.
  bool step();

  /// Performs an event of another thread during an activation.
  void disturb();

  bool serve_channel();

  bool activate_one();

  bool serve_node();

  bool serve_coordinator();

  bool start_one();

  void outside_calls();

  void outside_events();

  void faults();

  /// Called if no event is possible because of the hanging node: interrupts the
  /// application, and then lets the deadlines pass.
  void lose_patience();

  /// Fuses or splits a group.
  void regroup();

  /// Fuses some loops.
  void fuse_loops();

  /// Returns whether the node receives from a connection with a maximal wait,
  /// so that it is in no group.
  bool has_max_wait(node_id id) const;

  /// Returns whether a node, or a member of its group, handles nothing at
  /// present.
  bool pauses(node_id id) const;

  /// Returns whether the hanging node blocks this one.
  bool is_stuck(node_id id) const;

  bool group_is_active(node_id id) const;

  /// Advances the clock to the next event.
  void wait();

  void check_wait(std::int64_t next) const;

  void check_lateness();

  // -- checkpoints ------------------------------------------------------------

  void continue_from(const checkpoint& from);

  /// Demands a checkpoint, unless a demand is pending.
  void demand_checkpoint();

  /// Answers for a node that must stay below this tag until the checkpoint's
  /// tag is known.
  void answer_checkpoint(node_id id, logical_time tag);

  void check_checkpoints() const;

  // -- overridden functions of network ----------------------------------------

  void meanwhile() override;

  void on_channel(node_id from, node_id to) override;

  void on_scheduled(node_id id) override;

  void on_report(node_id id, const report& x) override;

  void on_saved(node_id id) override;

  // -- overridden functions of coordinator ------------------------------------

  void handle(node_id id, const report& x) override;

  void notify(node_id id, const notice& x) override;

  void entered(engine::negotiation::stage stage,
               std::uint64_t deadline) override;

  simulation_options options_;
  random_source rng_;

  std::vector<node_id> unstarted_;
  std::vector<std::pair<node_id, node_id>> busy_channels_;
  std::vector<node_id> ready_;
  std::vector<node_id> with_notices_, with_reports_;

  std::vector<std::uint32_t> laziness_; // percent, by node
  std::uint32_t disturbance_ = 0;       // percent
  std::uint32_t regrouping_ = 0;        // percent
  std::uint32_t depth_ = 0;
  std::vector<bool> requested_; // by outside request
  std::vector<stamp> stamps_;
  std::vector<std::vector<behavior>> saved_code_; // by node, as its parts
  std::vector<bool> owes_checkpoint_;             // per node, whether it owes
                                                  // an answer
  std::uint32_t checkpoint_answers_owed_ = 0;
  std::vector<logical_time> last_of_left_; // by node; `never` before
  logical_time demanded_tag_ = never;      // the maximum of the answers
  std::vector<logical_time> demanded_;
  std::uint64_t stage_began_ = 0; // the step
  std::uint64_t steps_ = 0;
  std::uint64_t waits_ = 0;
  std::uint64_t fused_ = 0;
  std::uint64_t split_ = 0;
  std::uint64_t divided_ = 0;
  std::uint64_t idle_waits_ = 0; // in a row
  std::uint64_t progress_at_wait_ = 0;
};

} // namespace engine_test
