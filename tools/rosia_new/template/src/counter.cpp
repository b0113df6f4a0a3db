#include "counter.hpp"

namespace project_name_nodes {

void counter::on_tick() {
  ++*ticks_;
  log().info("tick {} at {}", *ticks_, to_string(now()));
  count(*ticks_);
}

} // namespace project_name_nodes
