// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/worker.hpp"

#include <caf/fwd.hpp>

#include <string_view>

namespace caf::rosia::detail {

/// Takes the frames that other processes send beside CAF's protocol.
class frame_receiver {
public:
  virtual ~frame_receiver() = default;

  /// Takes what is in a frame. Called by who runs the network's loop, one after
  /// the other.
  /// @param from the name of the process that has sent it, in CAF's protocol.
  /// @param bytes valid until it returns; those that the other process has
  ///        sent, whatever they are.
  /// @param unit has CAF's proxies.
  virtual void receive(const caf::node_id& from, std::string_view bytes,
                       worker& unit)
    = 0;
};

} // namespace caf::rosia::detail
