// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/node_id.hpp>

#include <memory>
#include <span>
#include <string_view>

namespace caf::rosia::detail {

/// Carries frames to another process. A transport implements it, and passes the
/// frames that arrive to a `frame_receiver`. From any thread. Tests:
/// test/compat/io/process_network_test.cpp.
class frame_link {
public:
  virtual ~frame_link() = default;

  /// Adds a frame of Rosia's protocol, in pieces of less than 4 GiB in total.
  virtual void add_frame(std::span<const std::string_view> pieces) = 0;

  /// Sends what was added.
  virtual void flush() = 0;

  /// Returns the name of the other process in CAF's protocol, after its
  /// handshake.
  virtual caf::node_id peer() const = 0;
};

using frame_link_ptr = std::shared_ptr<frame_link>;

} // namespace caf::rosia::detail
