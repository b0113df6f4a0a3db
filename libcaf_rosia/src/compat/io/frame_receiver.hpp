// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/worker.hpp"

#include <caf/fwd.hpp>

#include <string_view>

namespace caf::rosia::detail {

/// Receives the frames of other processes that are not part of CAF's protocol.
/// Tests: test/compat/io/process_network_test.cpp.
class frame_receiver {
public:
  virtual ~frame_receiver() = default;

  /// Handles a frame. Called by the thread that runs the network's loop. Calls
  /// do not overlap.
  /// @param from the name of the sending process in CAF's protocol.
  /// @param bytes valid during the call, and possibly invalid data.
  /// @param unit has CAF's proxies.
  virtual void receive(const caf::node_id& from, std::string_view bytes,
                       worker& unit)
    = 0;
};

} // namespace caf::rosia::detail
