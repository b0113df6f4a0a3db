// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"
#include "engine/barrier.hpp"
#include "engine/loop_member.hpp"
#include "engine/node_clock.hpp"
#include "engine/node_config.hpp"
#include "engine/node_context.hpp"
#include "engine/promise_basis.hpp"
#include "engine/upstreams.hpp"

#include <algorithm>
#include <cstdint>

namespace caf::rosia::engine {

/// The lower bounds on time stamps (LBTS) of a node: STAT, below which it may
/// execute, and the bounds of its promises. Section 4 of the semantics. Tests:
/// test/engine/bounds_test.cpp, test/engine/stat_rules_test.cpp.
class bounds {
public:
  // -- constructors -----------------------------------------------------------

  void init(const node_config& config) {
    upstreams_.init(config);
    loop_.init(config);
    raise();
  }

  // -- parts ------------------------------------------------------------------

  engine::upstreams& upstreams() noexcept {
    return upstreams_;
  }

  const engine::upstreams& upstreams() const noexcept {
    return upstreams_;
  }

  loop_member& loop() noexcept {
    return loop_;
  }

  const loop_member& loop() const noexcept {
    return loop_;
  }

  engine::barrier& barrier() noexcept {
    return barrier_;
  }

  const engine::barrier& barrier() const noexcept {
    return barrier_;
  }

  // -- the node's bounds
  // --------------------------------------------------------

  /// Returns LBTS as last computed: no message arrives below this tag [4.1].
  logical_time lbts() const noexcept {
    return lbts_;
  }

  /// Returns STAT (safe to advance to): below LBTS, and up to the barrier
  /// [4.3].
  logical_time stat() const noexcept {
    return stat(lbts_);
  }

  logical_time stat(logical_time lbts) const noexcept {
    auto last = barrier_.last();
    return last == forever ? lbts : std::min(lbts, saturating_add(last, step));
  }

  /// Computes LBTS from the known bounds. It never decreases [4.3].
  /// @returns whether it grew.
  bool raise() noexcept;

  // -- the group's bounds
  // -------------------------------------------------------

  /// Returns the bound of messages from outside of the group, as last computed.
  logical_time outside() const noexcept {
    return std::min(upstreams_.bound(), loop_.bound());
  }

  /// Sets the bound of messages from other members of the group; `forever` if
  /// none of them sends to the node.
  void set_inner(logical_time bound) noexcept {
    inner_ = bound;
  }

  /// Raises the bound of messages from other members of the group.
  /// @returns whether LBTS grew.
  bool raise_inner(logical_time bound) noexcept {
    inner_ = std::max(inner_, bound);
    return raise();
  }

  logical_time inner() const noexcept {
    return inner_;
  }

  /// Raises LBTS. Asks the loop time table first, if only that limits LBTS.
  /// @returns whether LBTS grew.
  bool refresh(const node_config& config);

  // -- bounds for other nodes
  // ---------------------------------------------------

  /// Returns the bounds of the promises of the outputs [4.5].
  /// @param started whether the node's code may have made promises.
  /// @param stat an upper limit, at most the node's STAT.
  /// @param next the node's next tag.
  /// @param logical the last tag that the node executed.
  promise_basis basis(
    const node_context& context, const node_clock& clock, bool started,
    logical_time stat, logical_time next, logical_time logical) const noexcept;

  /// Returns the least tag that the node may still give to a physical value, or
  /// to the expiry of a watchdog, once it has executed `logical`.
  logical_time least_stamp(const node_context& context, const node_clock& clock,
                           logical_time logical) const noexcept;

  /// Returns the elapsed time from which on that tag is greater than `bound`.
  static std::int64_t time_beyond(
    const node_context& context, logical_time bound) noexcept;

  /// Publishes elapsed time to the loop with the node's next entry.
  void publish_clock(const node_context& context, const node_clock& clock,
                     logical_time logical) noexcept;

  /// Returns the node's entry in the loop time table.
  logical_time loop_entry(logical_time next) const noexcept;

  /// Returns the same without messages from other members of the group.
  logical_time outer_loop_entry(logical_time next) const noexcept;

  /// Sets the node's entry in the loop time table, and raises LBTS.
  /// @pre The table is locked.
  void update_loop(node_context& context, logical_time next);

private:
  static constexpr delay step{microsteps(1)};

  engine::upstreams upstreams_;
  loop_member loop_;
  engine::barrier barrier_;
  logical_time inner_ = forever;
  logical_time lbts_{};
};

} // namespace caf::rosia::engine
