// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"
#include "engine/connection.hpp"
#include "engine/least.hpp"
#include "engine/node_config.hpp"

#include <cstddef>
#include <cstdint>

namespace caf::rosia::engine {

/// The sources of a node's values. Other nodes promise bounds for logical
/// connections. Only elapsed time bounds the values of physical connections and
/// from outside of the application. Tests: test/engine/bounds_test.cpp.
class upstreams {
public:
  void init(const node_config& config);

  // -- logical connections ----------------------------------------------------

  /// Returns the bound of messages from outside of the loop [4.2].
  logical_time bound() const noexcept {
    return promises_.get();
  }

  logical_time promise_of(std::uint32_t connection) const noexcept {
    return promises_[connection];
  }

  /// Returns the index of the connection with the least promise.
  /// @pre There is one.
  std::size_t least_promised() const noexcept {
    return promises_.position();
  }

  /// Stores the promise of a connection, unless a greater one is known [4.3].
  void take_promise(std::uint32_t connection, logical_time promise) {
    if (promise > promises_[connection])
      promises_.set(connection, promise);
  }

  // -- all connections --------------------------------------------------------

  /// Ignores the promises of a logical connection from outside of the loop,
  /// because its sender is in the node's group.
  void fuse(std::uint32_t connection) {
    promises_.set(connection, forever);
  }

  /// Uses the promises again, starting with this one, unless the sender is
  /// done: its last promise was permanent.
  /// @param from the node's connection of this index, which is logical.
  void split(std::uint32_t connection, const in_connection& from,
             logical_time promise) {
    if (!from.done)
      promises_.set(connection, promise);
  }

  /// Handles a sender that is done, and waits for the final tag: nothing
  /// arrives before the last tag [10.6.4].
  /// @param from the node's connection of this index, which is logical.
  void take_done(std::uint32_t connection, in_connection& from);

  /// Handles the end of a connection.
  /// @param from the node's connection of this index.
  void take_no_more(std::uint32_t connection, in_connection& from);

  /// Returns whether no more values arrive, except from the node's loop [5.1],
  /// and no watchdog runs.
  bool exhausted() const noexcept {
    return !external_ && open_ == 0 && open_physical_ == 0 && !watches_;
  }

  // -- physical values --------------------------------------------------------

  /// Returns whether the node may ever receive physical values.
  bool clocked() const noexcept {
    return clocked_;
  }

  /// Returns whether physical values may still arrive, and are accepted, or a
  /// watchdog may expire.
  bool takes_physical() const noexcept {
    return takes_physical_;
  }

  /// Returns whether physical values may still arrive.
  bool takes_values() const noexcept {
    return external_ || open_physical_ > 0;
  }

  /// Sets whether a watchdog may expire up to the final tag [10.8.3].
  void watch(bool x) noexcept {
    watches_ = x;
    note_sources();
  }

  bool watches() const noexcept {
    return watches_;
  }

  /// Returns whether physical values are refused.
  bool closed() const noexcept {
    return closed_;
  }

  void close() noexcept {
    closed_ = true;
    note_sources();
  }

private:
  void note_sources() noexcept {
    takes_physical_ = clocked_ && !closed_ && (takes_values() || watches_);
  }

  // By connection; permanently `forever` for connections that do not count. The
  // next member uses its padding.
  [[no_unique_address]] least promises_;
  std::uint32_t open_ = 0; // logical connections from outside of the loop
  std::uint32_t open_physical_ = 0;
  bool external_ = false;
  bool clocked_ = false;
  bool closed_ = false;
  bool takes_physical_ = false;
  bool watches_ = false;
};

} // namespace caf::rosia::engine
