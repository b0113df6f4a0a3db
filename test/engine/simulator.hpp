// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "ending_rules.hpp"
#include "made_up_node.hpp"
#include "network.hpp"
#include "oracle.hpp"
#include "plan.hpp"

#include "engine/negotiation.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace engine_test {

/// Where a run goes on that another one has left behind.
struct checkpoint {
  logical_time tag;
  std::vector<network::node_part> parts; // by node
  std::vector<behavior> code;            // what each would do then
};

/// How an application is run.
struct simulation_options {
  /// Groups are fused and split at any moment; else each node is alone.
  bool regroups = false;

  /// Nodes take checkpoints: at multiples of this, in nanoseconds.
  std::optional<std::int64_t> checkpoint_period = {};

  /// Percent of the steps at which somebody asks for one.
  std::uint32_t demands = 0;

  /// From where it goes on; null if from the start.
  const checkpoint* from = nullptr;
};

/// Runs an application of engine nodes and a coordinator, without threads: a
/// seeded scheduler picks at random what happens next among all that threads,
/// a network and a clock could let happen. Messages are late at will, but in
/// order between two nodes; wakes are late, but not lost. Within an activation
/// of one node, others go on wherever they could.
class simulator : public network, private engine::negotiation::host {
public:
  /// @param seed of the schedule.
  simulator(const plan& what, std::uint64_t seed,
            const simulation_options& options = {});

  ~simulator() override;

  /// Runs the application to its end.
  /// @throws broken_rule if the engine breaks a rule, or does not get on.
  void run();

  // -- results ----------------------------------------------------------------

  /// The final tag, `forever` if there was none.
  logical_time final_tag() const noexcept {
    return negotiation_.final();
  }

  bool aborted() const noexcept {
    return negotiation_.aborted();
  }

  int status() const noexcept {
    return *status_;
  }

  /// The physical values that were executed.
  const std::vector<stamp>& stamps() const noexcept {
    return stamps_;
  }

  /// Nodes that got stuck were given up.
  bool gave_up() const noexcept {
    return rules_.gave_up();
  }

  /// The tags of checkpoints that somebody has asked for.
  const std::vector<logical_time>& demanded() const noexcept {
    return demanded_;
  }

  /// A checkpoint at this tag, of parts chosen at random where there are
  /// several; none if one is missing.
  std::optional<checkpoint> find_checkpoint(
    logical_time tag, random_source& rng) const;

  std::uint64_t steps() const noexcept {
    return steps_;
  }

  /// How often nothing was left to do but to wait for physical time.
  std::uint64_t waits() const noexcept {
    return waits_;
  }

  std::uint64_t rounds() const noexcept {
    return rounds_;
  }

  /// How often groups were fused, and split.
  std::uint64_t fused() const noexcept {
    return fused_;
  }

  std::uint64_t split_groups() const noexcept {
    return split_;
  }

private:
  // -- member types -----------------------------------------------------------

  struct notice {
    enum class kind : std::uint8_t {
      ask,
      final,
      abort,
      ask_checkpoint,
      take_checkpoint
    };
    kind what = kind::ask;
    logical_time tag;
    logical_time requested;
  };

  struct report {
    enum class kind : std::uint8_t {
      request,
      answer,
      failed,
      exit,
      vanished,
      checkpoint
    };
    kind what = kind::request;
    logical_time tag;
    int status = 0;
    engine::ending how = engine::ending::done;
  };

  // -- the schedule -----------------------------------------------------------

  /// Lets something happen. @returns false if nothing can, without the clock.
  bool step();

  /// Something that others do while a node is in the middle of an activation.
  void disturb();

  bool serve_channel();

  bool activate_one();

  bool serve_node();

  bool serve_coordinator();

  bool start_one();

  void outside_calls();

  void outside_events();

  void outside_request(logical_time proposal);

  void faults();

  /// The current stage takes too long.
  void overdue();

  /// Nothing may happen any more because of the node that is stuck: somebody
  /// interrupts it, and then the deadlines pass.
  void lose_patience();

  /// Fuses or splits something.
  void regroup();

  /// Tells whether a node handles nothing at the moment, or another one of its
  /// group.
  bool pauses(node_id id) const;

  /// Tells whether the node that is stuck holds up this one.
  bool is_stuck(node_id id) const;

  bool group_is_active(node_id id) const;

  /// Moves the clock to where something happens.
  void wait();

  void check_wait(std::int64_t next) const;

  void check_lateness();

  void check_end();

  /// For a person who looks at a failure.
  std::string situation();

  // -- checkpoints ------------------------------------------------------------

  void continue_from(const checkpoint& from);

  /// Asks for a checkpoint, unless one is being asked for.
  void demand_checkpoint();

  /// A node cannot be beyond this before it knows where it is taken.
  void answer_checkpoint(node_id id, logical_time tag);

  void check_checkpoints() const;

  // -- implementation ---------------------------------------------------------

  void on_report(node_id id, const report& x);

  void notify(node_id id, const notice& x);

  // -- overridden functions of network ----------------------------------------

  bool holds_back(node_id from, node_id to) override;

  void meanwhile() override;

  void on_channel(node_id from, node_id to) override;

  void on_scheduled(node_id id) override;

  void on_left(node_id id) override;

  void on_request(node_id id, logical_time proposal, int status) override;

  void on_answer(node_id id, logical_time tag) override;

  void on_checkpoint_answer(node_id id, logical_time tag) override;

  void on_saved(node_id id) override;

  void on_failed(node_id id, const engine::failure& what) override;

  // -- overridden functions of negotiation::host ------------------------------

  void ask(node_id node, logical_time proposal) override;

  void tell_final(node_id node, logical_time final,
                  logical_time requested) override;

  void abort_node(node_id node) override;

  void agreed(logical_time final) override;

  void ignored(logical_time proposal, logical_time final) override;

  void entered(engine::negotiation::stage what,
               std::uint64_t deadline) override;

  void late(node_id node, engine::negotiation::stage what) override;

  void finished(int status) override;

  const plan& plan_;
  simulation_options options_;
  random_source rng_;
  engine::negotiation negotiation_;
  ending_rules rules_;
  made_up_nodes nodes_;

  std::vector<node_id> unstarted_;
  std::vector<std::pair<node_id, node_id>> busy_channels_;
  std::vector<node_id> ready_;
  std::vector<std::deque<notice>> notices_; // to the nodes
  std::vector<std::deque<report>> reports_; // to the coordinator
  std::vector<node_id> with_notices_, with_reports_;

  std::vector<std::uint32_t> laziness_; // percent, by node
  std::uint32_t disturbance_ = 0;       // percent
  std::uint32_t regrouping_ = 0;        // percent
  std::uint32_t depth_ = 0;
  std::size_t next_call_ = 0;
  std::vector<bool> requested_; // by outside request
  std::vector<stamp> stamps_;
  std::vector<std::vector<behavior>> saved_code_; // by node, as its parts
  std::vector<bool> owes_checkpoint_;             // an answer, by node
  std::uint32_t checkpoint_answers_owed_ = 0;
  std::vector<logical_time> last_of_left_; // by node; `never` before
  logical_time demanded_tag_ = never;      // the maximum of the answers
  std::vector<logical_time> demanded_;
  std::optional<int> status_;
  std::uint64_t deadline_ = 0;
  std::optional<node_id> stuck_;
  std::uint64_t stage_began_ = 0; // the step
  logical_time agreed_ = forever;
  logical_time proposal_ = forever; // of the last round
  std::uint64_t steps_ = 0;
  std::uint64_t waits_ = 0;
  std::uint64_t rounds_ = 0;
  std::uint64_t fused_ = 0;
  std::uint64_t split_ = 0;
  std::uint64_t idle_waits_ = 0; // in a row
  std::uint64_t progress_at_wait_ = 0;
};

} // namespace engine_test
