// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"
#include "engine/connection.hpp"
#include "engine/resumption_queue.hpp"
#include "engine/stamped_queue.hpp"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <vector>

namespace caf::rosia::engine {

/// What a node has still to execute, by tag: the messages of its logical
/// connections, which arrive in order on each of them; the values that it has
/// stamped; the reactions that have yielded. The messages themselves are in the
/// node's incoming connections, which every call has to pass that needs them.
class event_queue {
public:
  /// The earliest tag; `forever` if nothing is queued.
  logical_time next_tag() const noexcept {
    auto result = heads_.empty() ? forever : heads_.front().tag;
    result = std::min(result, resumptions_.next_tag());
    return std::min(result, stamped_.next_tag());
  }

  // -- messages ---------------------------------------------------------------

  /// Queues what has arrived on a connection, after everything before it.
  void push(std::vector<in_connection>& in, std::uint32_t connection,
            event message);

  /// Tells whether a message is due at `tag`, and none before.
  bool has_message(logical_time tag) const noexcept {
    return !heads_.empty() && heads_.front().tag == tag;
  }

  /// The connection of the next message: of those at one tag, the one that was
  /// declared first. @pre There is a message.
  std::uint32_t next_connection() const noexcept {
    return heads_.front().connection;
  }

  /// Removes the next message. @pre There is one.
  value_ptr pop(std::vector<in_connection>& in);

  /// Drops all messages.
  void clear_messages(std::vector<in_connection>& in) noexcept;

  // -- other events -----------------------------------------------------------

  stamped_queue& stamped() noexcept {
    return stamped_;
  }

  const stamped_queue& stamped() const noexcept {
    return stamped_;
  }

  resumption_queue& resumptions() noexcept {
    return resumptions_;
  }

  const resumption_queue& resumptions() const noexcept {
    return resumptions_;
  }

private:
  /// A connection whose first message is due at `tag`.
  struct head {
    logical_time tag;
    std::uint32_t connection;
    friend auto operator<=>(const head&, const head&) = default;
  };

  std::vector<head> heads_; // a heap of the connections with messages
  resumption_queue resumptions_;
  stamped_queue stamped_;
};

} // namespace caf::rosia::engine
