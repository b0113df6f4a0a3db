// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/node_id.hpp"
#include "caf/rosia/logical_time.hpp"
#include "engine/connection.hpp"
#include "engine/node_config.hpp"
#include "engine/node_parts.hpp"
#include "engine/snapshot.hpp"

#include <algorithm>
#include <optional>

namespace caf::rosia::engine {

/// Explains to an observer why a node that has started executes nothing. Looks
/// at the node while nobody else calls it, and changes nothing.
class explanation {
public:
  /// @param next the node's next tag.
  explanation(const node_parts& parts, logical_time next) noexcept
    : parts_(&parts), next_(next),
      goal_(std::min(next, parts.bounds.barrier().final())) {
    // nop
  }

  /// What keeps the node from its next tag or, if it has none, from leaving.
  blocker find() const;

private:
  std::optional<blocker> end_of_application() const;

  std::optional<blocker> upstream() const;

  /// @param holder the member of the loop that holds the node back; the node
  ///        itself if that is not known.
  std::optional<blocker> member_of_group(logical_time bound) const;

  blocker member_of_loop(node_id holder, logical_time bound) const;

  /// Whoever may still send values of which elapsed time alone tells.
  blocker source_of_physical() const;

  /// The connection over which a member of the loop holds the node back; null
  /// if that is not clear without a search.
  const in_connection* input_towards(node_id holder) const;

  const node_config& config() const noexcept {
    return parts_->config;
  }

  const node_parts* parts_;
  logical_time next_;

  // LBTS has to be greater than this: the next tag, or, to leave, the final one
  // or everything.
  logical_time goal_;
};

} // namespace caf::rosia::engine
