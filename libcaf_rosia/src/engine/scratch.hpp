// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/node_id.hpp"
#include "caf/rosia/detail/port_state.hpp"
#include "caf/rosia/logical_time.hpp"
#include "engine/envelope.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace caf::rosia::engine {

/// What bounds a member of a group.
struct member_limits {
  static constexpr std::uint32_t own = ~std::uint32_t{0};

  /// Nothing arrives below this, if everybody who is not held executes all that
  /// it may; and nothing from other members.
  logical_time arrival = forever;
  logical_time inside = forever;

  /// The incoming connection that the first is from; `own` if it is from
  /// outside of the group.
  std::uint32_t via = own;
};

/// Memory that a node needs only while it is called: one for each thread, so
/// that idle nodes hold none.
class scratch {
public:
  /// Lends the calling thread's scratch to a node for the time of a call, and
  /// leaves it without content. A node that is called from within another one's
  /// code gets one of its own.
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

  /// How many buffers a thread keeps to spare at the most: whoever sends to
  /// hundreds of nodes takes as many.
  static constexpr std::size_t max_buffers = 1024;

  /// A buffer without content, but with memory if there is some to spare.
  std::vector<envelope> take_buffer();

  /// Takes the memory of a buffer back.
  void give_buffer(std::vector<envelope>&& buffer);

  /// Drops all content.
  void clear() noexcept;

  std::vector<envelope> mail;           // what is being taken in
  std::vector<input*> present;          // those of the current tag
  std::vector<std::uint32_t> triggered; // reactions of the current tag
  std::vector<std::pair<std::uint64_t, std::uint32_t>>
    resumed; // the same, that had yielded, and their places in the order
  std::vector<std::uint32_t> unreported; // incoming connections
  std::vector<std::uint32_t> latest; // the same, that keep the latest values
  std::vector<node_id> wake;
  std::vector<logical_time> requested_bounds;
  std::vector<member_limits> limits; // by member of a group

private:
  static scratch& of_this_thread();

  bool lent_ = false;
  std::vector<std::vector<envelope>> spare_;
  std::size_t spare_capacity_ = 0; // of all of them
};

} // namespace caf::rosia::engine
