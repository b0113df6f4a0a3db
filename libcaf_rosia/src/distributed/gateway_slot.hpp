// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "distributed/value_frame.hpp"

#include <caf/actor_control_block.hpp>
#include <caf/fwd.hpp>

#include <mutex>

namespace caf::rosia::detail {

class gateway;

/// Where the actor of a process finds the process's gateway, which is there for
/// a part of the actor's life. May be used from any thread.
class gateway_slot {
public:
  /// Hands what comes from now on to `x`, or drops it if that is null. Returns
  /// once the gateway before handles nothing any more.
  void set(gateway* x);

  /// Hands over a frame, one after the other. The parameters are those of
  /// `gateway::receive`.
  void receive(const value_frame& frame, const caf::strong_actor_ptr& sender,
               caf::execution_unit& unit);

private:
  std::mutex mutex_;
  gateway* gateway_ = nullptr; // protected by `mutex_`
};

} // namespace caf::rosia::detail
