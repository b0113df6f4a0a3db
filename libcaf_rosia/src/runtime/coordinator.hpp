// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "base/growing_interval.hpp"
#include "caf/rosia/fwd.hpp"
#include "engine/negotiation.hpp"
#include "runtime/messages.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <spdlog/common.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace caf::rosia {

/// The actor that supervises an application's nodes, and owns the negotiation
/// of its end. Detached, because it has to go on when nodes hold all workers.
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

  void force(engine::node_id node) override;

  void agreed(logical_time final) override;

  void ignored(logical_time proposal, logical_time final) override;

  void entered(stage what, std::uint64_t deadline) override;

  void late(engine::node_id node, stage what) override;

  void finished(int status) override;

  // -- implementation ---------------------------------------------------------

  void lost(const process_lost& x);

  /// Holds the blame back for a while: the other process may be gone, in which
  /// case it is to blame, and not who noticed it.
  void take_in(const connection_lost& x);

  /// Two processes that live have lost each other.
  void blame_connection(const connection_lost& x);

  /// Lets all processes say why the application ends.
  void tell_signal(const request_from_outside& x);

  /// Tells a drill, if there is one, about a step.
  void rehearse(const char* what, engine::node_id node, logical_time tag);

  /// Aborts the application.
  void force(const std::string& why);

  std::string process_name(std::uint32_t process) const;

  /// Says who was late, if somebody was.
  void blame();

  struct late_node {
    engine::node_id node;
    bool runs;
    std::string text; // what is known of it
  };

  /// Takes down a node with what is known of it now.
  void add_late(std::vector<late_node>& to, engine::node_id node);

  /// @returns how many of the first to tell of; the others are late because of
  ///          them.
  std::size_t put_culprits_first(std::vector<late_node>& nodes) const;

  /// Logs what the first `named` nodes did, and how many of all `count` did so,
  /// too.
  void tell_of(const std::vector<late_node>& nodes, std::size_t named,
               std::size_t count, spdlog::level::level_enum level,
               const std::string& what);

  /// Lets `watch_answers` be called when there is something to say again.
  void remind();

  /// Says whose answers are missing, at growing intervals.
  void watch_answers();

  /// Says which nodes the current stage waits for.
  void tell_whom_it_waits_for(const std::string& what);

  /// Calls `overdue` for `deadline` after this time.
  void limit(std::chrono::nanoseconds duration, std::uint64_t deadline);

  /// Calls `overdue` once no node has got on for the grace period. Before that,
  /// says so at growing intervals.
  void watch_progress(std::uint64_t deadline);

  void look_again(std::int64_t ns, std::uint64_t deadline);

  std::chrono::nanoseconds pause_between_looks() const;

  std::shared_ptr<detail::runtime> runtime_;
  engine::negotiation negotiation_;
  logical_time proposal_ = never; // of the last round
  std::uint64_t watch_ = 0;       // the call that watches the current stage
  std::uint64_t reminder_ = 0;    // the call that tells whom it waits for
  std::int64_t began_ = 0;        // when the current stage did
  detail::growing_interval words_{1};
  std::uint64_t seen_ = 0; // progress at the last look
  int unchanged_ = 0;      // looks since it has changed
  std::vector<connection_lost> lost_connections_;
  std::vector<late_node> late_;
  stage late_stage_ = stage::running;
  bool gave_up_ = false;
  bool told_signal_ = false;
};

} // namespace caf::rosia
