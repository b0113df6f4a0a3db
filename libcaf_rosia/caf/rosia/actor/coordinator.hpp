// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/actor/messages.hpp"
#include "caf/rosia/engine/negotiation.hpp"
#include "caf/rosia/fwd.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <chrono>
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

  /// Tells a drill, if there is one, about a step.
  void rehearse(const char* what, engine::node_id node, logical_time tag);

  /// Ends the application by force.
  void force(const std::string& why);

  std::string process_name(std::uint32_t process) const;

  /// Says who was late, if somebody was.
  void blame();

  /// Calls `overdue` for `deadline` after this time.
  void limit(std::chrono::nanoseconds duration, std::uint64_t deadline);

  /// Calls `overdue` once no node has got on for the grace period.
  void watch_progress(std::uint64_t deadline);

  void look_again(std::int64_t ns, std::uint64_t deadline);

  struct late_node {
    engine::node_id node;
    bool runs;
    std::string text; // what is known of it
  };

  std::shared_ptr<detail::runtime> runtime_;
  engine::negotiation negotiation_;
  logical_time proposal_ = never; // of the last round
  std::uint64_t watch_ = 0;       // the call that watches the current stage
  std::uint64_t seen_ = 0;        // progress at the last look
  int unchanged_ = 0;             // looks since it has changed
  std::vector<late_node> late_;
  stage late_stage_ = stage::running;
  bool gave_up_ = false;
  bool told_signal_ = false;
};

} // namespace caf::rosia
