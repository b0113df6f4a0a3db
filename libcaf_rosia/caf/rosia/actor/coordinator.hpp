// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/actor/messages.hpp"
#include "caf/rosia/engine/negotiation.hpp"
#include "caf/rosia/fwd.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <memory>
#include <vector>

namespace caf::rosia {

/// The actor that supervises an application's nodes, and owns the negotiation
/// of its end.
class coordinator
  : public coordinator_handle::base,
    public engine::negotiation::host {
public:
  using super = coordinator_handle::base;

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

  void finished(int status) override;

  // -- implementation ---------------------------------------------------------

  void force_all(int status);

  void vanished(const caf::down_msg& x);

  void watch_answers();

  std::shared_ptr<detail::runtime> runtime_;
  engine::negotiation negotiation_;
  logical_time proposal_ = never; // of the last round
  std::uint64_t answer_deadline_ = 0;
};

} // namespace caf::rosia
