// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/last_tag_sender.hpp"

#include "engine/node.hpp"

#include <atomic>
#include <utility>

namespace caf::rosia::engine {

// -- constructors, destructors ------------------------------------------------

last_tag_sender::last_tag_sender(node_parts& parts, logical_time tag)
  : parts_(parts), tag_(tag), log_(std::exchange(parts.config.log, this)) {
  for (auto* port : parts.config.outputs) {
    // The engine finds no connection, and sends nothing itself.
    port->last = port->first;
    port->routes = nullptr;
    // A promise made before the final tag was known says nothing about this
    // tag.
    port->promised = logical_time{};
  }
}

last_tag_sender::~last_tag_sender() {
  parts_.config.log = log_;
}

// -- overridden functions of port_log -----------------------------------------

void last_tag_sender::arrived(
  std::uint32_t input, logical_time tag, const value& content) {
  if (log_ != nullptr)
    log_->arrived(input, tag, content);
}

void last_tag_sender::written(
  std::uint32_t output, logical_time tag, const value& content) {
  if (log_ != nullptr)
    log_->written(output, tag, content);
  for (auto& connection : parts_.config.out)
    if (connection.output == output && !connection.physical
        && connection.distance.is_zero())
      send(connection, content);
}

// -- implementation -----------------------------------------------------------

void last_tag_sender::send(out_connection& connection, const value& content) {
  if (parts_.trace)
    parts_.trace->send(
      parts_.config.id, tag_, connection.number, tag_, content);
  if (connection.fused != nullptr)
    connection.fused->expect_last(connection.target_index, content);
  else if (!connection.shared->gone.load(std::memory_order_acquire))
    parts_.outbox.add_last(*parts_.scratch, connection, tag_, content);
}

} // namespace caf::rosia::engine
