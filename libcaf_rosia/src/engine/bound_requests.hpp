// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"
#include "engine/bounds.hpp"
#include "engine/node_config.hpp"
#include "engine/node_parts.hpp"
#include "engine/promise_basis.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace caf::rosia::engine {

/// Finds the bounds that a node needs before it becomes idle, for itself or for
/// nodes that requested bounds from it, and requests them from the nodes that
/// limit it [4.9]. The bounds are in the scratch, ascending. Tests:
/// test/engine/stat_rules_test.cpp.
class bound_requests {
public:
  /// Finds the connections over which requests can be sent.
  void init(const node_config& config);

  /// Finds the needed bounds. @param next the node's next tag.
  static void collect(node_parts& parts, logical_time next);

  /// Adds the bound for which other members of the node's loop wait.
  static void add_requests_of_loop(node_parts& parts);

  /// Waits for the other members of the node's loop, and adds the bound for
  /// which they wait. @returns false if the node may continue after all.
  bool wait_in_loop(node_parts& parts);

  /// Sets a wake-up for when elapsed time allows the bounds that were requested
  /// from the node.
  static void wait_for_clock(node_parts& parts, const promise_basis& basis);

  /// Sends requests over the connections from outside of the loop [4.10].
  void send(node_parts& parts);

  /// Forgets all requests, so that they are repeated after the node was
  /// rewired.
  void forget() noexcept {
    if (addressees_)
      addressees_->requested_bounds.clear();
  }

  /// Forgets the request over an incoming connection.
  void forget(std::uint32_t connection) noexcept;

  /// Returns whether there are nodes to send requests to, or a clock or loop to
  /// wait for.
  bool concerns(const node_parts& parts) const noexcept {
    auto& loop = parts.bounds.loop();
    return relays(parts.bounds) || (loop.exists() && !loop.shared());
  }

private:
  /// An incoming connection over which requests are sent.
  struct addressee {
    std::uint32_t connection;
    logical_time requested_bound = never; // the pending request, if any
  };

  /// Targets of bound requests, and the requested bounds.
  struct addressees {
    std::vector<addressee> all;                 // ascending
    std::vector<logical_time> requested_bounds; // as last sent
  };

  /// Returns whether the bounds for which members of its loop wait concern the
  /// node.
  bool relays(const bounds& known) const noexcept {
    return known.upstreams().clocked() || addressees_ != nullptr;
  }

  std::unique_ptr<addressees> addressees_; // null if there are none
};

} // namespace caf::rosia::engine
