// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"

#include <algorithm>

namespace caf::rosia::engine {

/// Where a node stops: section 5 of the semantics, as a node knows it. It
/// executes nothing past the barrier, whatever may still arrive.
class barrier {
public:
  // -- properties -------------------------------------------------------------

  /// The last tag that may be executed.
  logical_time last() const noexcept {
    return std::min(answer_, own_request_);
  }

  /// The final tag; `forever` until it is known.
  logical_time final() const noexcept {
    return final_;
  }

  /// The tag that somebody has requested; `forever` if nobody has.
  logical_time requested() const noexcept {
    return requested_;
  }

  /// Tells whether the node has answered nothing that is not decided: whoever
  /// has waits for that, because all who take part know it.
  bool decided() const noexcept {
    return answer_ == final_;
  }

  // -- modifiers --------------------------------------------------------------

  /// The node itself requests an end. Otherwise it might be past that before it
  /// is asked.
  void request(logical_time proposal) noexcept {
    own_request_ = std::min(own_request_, proposal);
  }

  /// The node answers the coordinator.
  void answer(logical_time tag, logical_time proposal) noexcept {
    answer_ = tag;
    requested_ = proposal;
  }

  /// The coordinator has decided.
  void decide(logical_time final, logical_time requested) noexcept {
    answer_ = final_ = final;
    requested_ = requested;
    // It is what this node had requested. After another one its own follows.
    if (requested == own_request_)
      own_request_ = forever;
  }

private:
  logical_time answer_ = forever;      // or what was decided
  logical_time own_request_ = forever; // that is not decided
  logical_time final_ = forever;
  logical_time requested_ = forever;
};

} // namespace caf::rosia::engine
