// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/value.hpp"
#include "caf/rosia/logical_time.hpp"

#include <cstdint>

namespace caf::rosia::engine {

enum class envelope_kind : std::uint8_t {
  /// A value that arrives at `tag`, with a promise.
  data,
  /// A null message: no message arrives before `promise`.
  promise,
  /// The end of a connection: the sender sends nothing more.
  no_more,
  /// A value of a physical connection, which its receiver stamps.
  physical,
  /// A value of a physical action, which the receiver stamps [3.14].
  /// `connection` is the action's index among the inputs.
  action,
  /// An expiry of a watchdog, in place of a value: `connection` is its action's
  /// index [10.8.2]. No message has this kind.
  watchdog,
  /// A tardy value, which its receiver stamped [10.10.1]. No message has this
  /// kind.
  tardy,
  /// A bound request: the receiver of a connection needs a promise greater
  /// than `tag`. `connection` is the index of the sender's outgoing
  /// connection.
  bound_request,
  /// The sender of a logical connection is done, and waits for the final tag
  /// [10.6.4]. Only values at the last tag and `no_more` follow.
  done,
  /// A value at the last tag, of a connection without delay [10.6.1]. Only
  /// `no_more` follows.
  last_tag,
};

/// Returns whether a value with a stamp is of a connection, whose index it has.
constexpr bool is_of_connection(envelope_kind x) noexcept {
  return x == envelope_kind::physical || x == envelope_kind::tardy;
}

/// A message on a connection, or against its direction (`bound_request`). There
/// may be very many: some members use the padding of the previous one. Tests:
/// test/engine.
struct envelope {
  [[no_unique_address]] logical_time tag = never;
  envelope_kind kind = envelope_kind::data;

  /// Whether the sender, which is in another process, requests an ack once the
  /// messages up to this one are executed.
  bool ack_request = false;

  /// Whether the sender sends nothing more over the connection. The inbox
  /// merged a `no_more` into this value or promise.
  bool last = false;

  [[no_unique_address]] logical_time promise = never;
  std::uint32_t connection = 0; // the receiver's index of the connection
  value content = {};
};

} // namespace caf::rosia::engine
