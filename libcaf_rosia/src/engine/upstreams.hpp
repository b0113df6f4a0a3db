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

/// From where values may still come to a node: over logical connections, about
/// which those outside of its loop promise something; over physical ones, and
/// from outside of the application, about which only elapsed time tells.
class upstreams {
public:
  void init(const node_config& config);

  // -- logical connections ----------------------------------------------------

  /// Nothing arrives before this from outside of the loop.
  logical_time bound() const noexcept {
    return promises_.get();
  }

  /// What is promised on a connection.
  logical_time promise_of(std::uint32_t connection) const noexcept {
    return promises_[connection];
  }

  /// The index of the connection of which the promise is the least.
  /// @pre There is one.
  std::size_t least_promised() const noexcept {
    return promises_.position();
  }

  void take_promise(std::uint32_t connection, logical_time promise) {
    if (promise > promises_[connection])
      promises_.set(connection, promise);
  }

  // -- all connections --------------------------------------------------------

  /// Nothing is promised on a logical connection from outside of the loop any
  /// more: the group knows what may arrive.
  void fuse(std::uint32_t connection) {
    promises_.set(connection, forever);
  }

  /// It is promised again, from here on.
  void split(std::uint32_t connection, logical_time promise) {
    promises_.set(connection, promise);
  }

  /// @param from the node's connection of this index.
  void take_no_more(std::uint32_t connection, in_connection& from);

  /// Tells whether nothing comes any more, except from the node's loop.
  bool exhausted() const noexcept {
    return !external_ && open_ == 0 && open_physical_ == 0;
  }

  // -- physical values --------------------------------------------------------

  /// Tells whether the node may ever get some.
  bool clocked() const noexcept {
    return clocked_;
  }

  /// Tells whether it still takes some, that may come.
  bool takes_physical() const noexcept {
    return clocked_ && !closed_ && (external_ || open_physical_ > 0);
  }

  /// Tells whether it refuses them.
  bool closed() const noexcept {
    return closed_;
  }

  void close() noexcept {
    closed_ = true;
  }

private:
  // By connection; `forever`, for good, if of no interest. It has room for the
  // next one.
  [[no_unique_address]] least promises_;
  std::uint32_t open_ = 0; // logical ones from outside of the loop
  std::uint32_t open_physical_ = 0;
  bool external_ = false;
  bool clocked_ = false;
  bool closed_ = false;
};

} // namespace caf::rosia::engine
