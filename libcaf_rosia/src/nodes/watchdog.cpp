// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/watchdog.hpp"

#include "base/duration.hpp"
#include "caf/rosia/graph_error.hpp"
#include "engine/watchdogs.hpp"
#include "nodes/node_access.hpp"

#include <stdexcept>

namespace caf::rosia {

using detail::node_access;

watchdog::watchdog(const detail::member_parent& parent_node, std::string name,
                   time_span timeout, detail::code_ptr handler)
  : action_base(parent_node, std::move(name),
                engine::payload_type_of<engine::watchdog_event>()),
    timeout_(timeout), handler_(std::move(handler)) {
  if (timeout.count() < 0)
    throw graph_error(
      "the timeout of watchdog '" + this->name() + "' is "
      + detail::time_text(timeout) + "; it must not be negative");
  node_access::engine(*parent()).add_watchdog(
    detail::member_access::state(*this), index(), timeout.count(),
    handler_ != nullptr);
}

void watchdog::require_runner(const char* verb) const {
  // The engine cannot name the watchdog before it is wired.
  if (!node_access::runs(*parent()))
    throw std::logic_error(
      "watchdog '" + name() + "' was " + verb
      + " outside of the node's reactions; its node starts and stops it, in "
        "reactions or start()");
}

void watchdog::start(time_span extra) {
  require_runner("started");
  node_access::engine(*parent()).start_watchdog(index(), extra.count());
}

void watchdog::stop() {
  require_runner("stopped");
  node_access::engine(*parent()).stop_watchdog(index());
}

} // namespace caf::rosia
