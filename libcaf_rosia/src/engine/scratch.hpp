// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/node_id.hpp"
#include "caf/rosia/detail/port_state.hpp"
#include "caf/rosia/logical_time.hpp"
#include "engine/calendar.hpp"
#include "engine/envelope.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace caf::rosia::engine {

/// The bounds of a member of a group. Tests: test/engine/group_test.cpp.
struct member_limits {
  static constexpr std::uint32_t own = ~std::uint32_t{0};

  /// Lower bounds of the arrivals of all messages, and of those from other
  /// members, if every member that is not held executes all that it may.
  logical_time arrival = forever;
  logical_time inner = forever;

  /// The incoming connection that determines `arrival`; `own` if the bound is
  /// from outside of the group.
  std::uint32_t via = own;
};

/// Memory that a node needs only during a call. One for each thread, so that
/// idle nodes hold none. Tests: test/engine/containers_test.cpp.
class scratch {
public:
  /// Lends the calling thread's scratch to a node for a call, and empties it
  /// afterwards. A node that is called from another node's code gets a separate
  /// scratch.
  class lease {
  public:
    explicit lease(scratch*& slot);

    lease(const lease&) = delete;

    lease& operator=(const lease&) = delete;

    ~lease();

  private:
    scratch** slot_;
    std::unique_ptr<scratch> own_;
  };

  /// The maximal number of spare buffers of a thread: a node that sends to
  /// hundreds of nodes uses as many.
  static constexpr std::size_t max_buffers = 1024;

  /// Returns an empty buffer, with the memory of a spare one if there is any.
  std::vector<envelope> take_buffer();

  /// Takes back a buffer to reuse its memory.
  void give_buffer(std::vector<envelope>&& buffer);

  /// Drops all content.
  void clear() noexcept;

  std::vector<envelope> mail;           // messages taken from the inbox
  std::vector<input*> present;          // inputs of the current tag
  std::vector<std::uint32_t> triggered; // reactions of the current tag
  std::vector<std::pair<std::uint64_t, std::uint32_t>>
    resumed; // reactions to resume at the current tag, and their order
  std::vector<std::uint32_t> unreported; // incoming connections
  std::vector<std::uint32_t> latest;     // incoming connections that keep the
                                         // latest values
  std::vector<node_id> wake;
  std::vector<logical_time> requested_bounds;
  std::vector<member_limits> limits; // by member of a group
  calendar lowered;                  // members whose limits were lowered

private:
  static scratch& of_this_thread();

  bool lent_ = false;
  std::vector<std::vector<envelope>> spare_;
  std::size_t spare_capacity_ = 0; // of all spare buffers
};

} // namespace caf::rosia::engine
