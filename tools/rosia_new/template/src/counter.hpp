#pragma once

#include <caf/rosia/all.hpp>

namespace project_name_nodes {

namespace rosia = caf::rosia;

/// Counts the ticks that it receives, and sends the number of each.
class counter : public rosia::node {
public:
  rosia::input_port<rosia::logical_time> tick{this, "tick"};
  rosia::output_port<int> count{this, "count"};

private:
  void on_tick();

  // A state, and not a plain int, so that checkpoints save it.
  rosia::state<int> ticks_{this, "ticks", 0};

  // Runs whenever `tick` has a value. It is declared after the ports that it
  // uses, because members are made in the order of their declaration.
  rosia::reaction on_tick_{this, "on_tick", {tick}, [this] { on_tick(); }};
};

} // namespace project_name_nodes
