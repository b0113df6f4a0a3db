// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/tick.hpp"

#include "base/duration.hpp"
#include "caf/rosia/graph_error.hpp"
#include "nodes/node_access.hpp"

namespace caf::rosia {

tick::tick(const detail::member_parent& parent_node, std::string name,
           time_span offset, std::optional<time_span> period)
  : action_base(parent_node, std::move(name),
                engine::payload_type_of<engine::tick_times>()),
    times_{offset.count(), period.value_or(time_span{}).count()} {
  auto refuse = [this](const char* part, time_span x, const char* demand) {
    throw graph_error("the " + std::string{part} + " of tick '" + this->name()
                      + "' is " + detail::time_text(x) + "; it must " + demand);
  };
  if (period && period->count() <= 0)
    refuse("period", *period, "be positive; rosia::once is for a single time");
  if (offset.count() < 0)
    refuse("offset", offset, "not be negative");
  auto& state = detail::member_access::state(*this);
  state.ticks = true;
  auto& owner = detail::node_access::engine(*parent());
  if (auto* of = parent_node.in_mode) {
    auto number = detail::member_access::number(*of);
    owner.make_modes().add_tick(state, index(), number, times_);
    // The first mode is active at the start.
    if (number != 0)
      return;
  }
  owner.restore(state, index(), times_.first_from({}),
                engine::make_value<engine::tick_times>(times_));
}

} // namespace caf::rosia
