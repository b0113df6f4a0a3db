// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/value.hpp"
#include "caf/rosia/logical_time.hpp"
#include "engine/node_parts.hpp"
#include "engine/port_log.hpp"

#include <cstdint>

namespace caf::rosia::engine {

/// Sends what a node writes at the last tag over its connections without delay.
/// Other values would never arrive, and are dropped [10.6.5]. Takes the place
/// of the node's log while it exists, so that no write at another tag must
/// check for the last tag.
class last_tag_sender final : public port_log {
public:
  // -- constructors, destructors ----------------------------------------------

  /// @pre The node writes nothing after this tag.
  last_tag_sender(node_parts& parts, logical_time tag);

  last_tag_sender(const last_tag_sender&) = delete;

  last_tag_sender& operator=(const last_tag_sender&) = delete;

  ~last_tag_sender() override;

  // -- overridden functions of port_log ---------------------------------------

  void arrived(std::uint32_t input, logical_time tag,
               const value& content) override;

  void written(std::uint32_t output, logical_time tag,
               const value& content) override;

private:
  void send(out_connection& connection, const value& content);

  node_parts& parts_;
  logical_time tag_;
  port_log* log_; // of the node; may be null
};

} // namespace caf::rosia::engine
