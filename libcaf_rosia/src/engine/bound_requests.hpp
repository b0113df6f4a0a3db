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

/// What a node does before it goes idle: it finds out which bounds it needs,
/// itself or for those that have requested some of it, and requests them of
/// whoever keeps them down [4.9]. The bounds are in the scratch, ascending.
class bound_requests {
public:
  /// Looks whom there is to send requests to.
  void init(const node_config& config);

  /// Finds the bounds that are needed. @param next the node's next tag.
  static void collect(node_parts& parts, logical_time next);

  /// Adds what other members of the node's loop wait for.
  static void add_requests_of_loop(node_parts& parts);

  /// Waits for the other members of the node's loop, and takes over what they
  /// wait for. @returns false if the node may go on after all.
  bool wait_in_loop(node_parts& parts);

  /// Has the node called when elapsed time allows what was requested of it.
  static void wait_for_clock(node_parts& parts, const promise_basis& basis);

  /// Sends requests over the connections from outside of the loop [4.10].
  void send(node_parts& parts);

  /// The node is wired in another way: what was requested is requested anew.
  void forget() noexcept {
    if (addressees_)
      addressees_->requested_bounds.clear();
  }

  /// Nothing is requested over an incoming connection any more.
  void forget(std::uint32_t connection) noexcept;

  /// Tells whether there is anybody to send requests to, or a clock to wait
  /// for.
  bool concerns(const node_parts& parts) const noexcept {
    auto& loop = parts.bounds.loop();
    return relays(parts.bounds) || (loop.exists() && !loop.shared());
  }

private:
  /// An incoming connection from somebody to send requests to.
  struct addressee {
    std::uint32_t connection;
    logical_time requested_bound = never; // the pending request, if any
  };

  /// Whom the node sends requests to, and for what.
  struct addressees {
    std::vector<addressee> all;                 // ascending
    std::vector<logical_time> requested_bounds; // the last time
  };

  /// Tells whether what others of its loop wait for concerns the node.
  bool relays(const bounds& known) const noexcept {
    return known.upstreams().clocked() || addressees_ != nullptr;
  }

  std::unique_ptr<addressees> addressees_; // none if there is nobody
};

} // namespace caf::rosia::engine
