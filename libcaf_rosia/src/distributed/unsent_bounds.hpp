// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace caf::rosia::detail {

/// One bound for adjacent connections of a channel: see `gateway`.
struct bound_range {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  logical_time bound;
};

/// The bounds of a channel's connections that must still be sent: one for each
/// connection, because a newer bound replaces the older one [4.3, 4.11]. Tests:
/// test/distributed/unsent_bounds_test.cpp.
class unsent_bounds {
public:
  /// Adds a connection of the channel, which gets the next index.
  void add_connection() {
    bounds_.push_back(never);
  }

  void set(std::uint32_t connection, logical_time bound);

  bool empty() const noexcept {
    return changed_.empty();
  }

  /// Returns the unsent bounds by connection, in as few ranges as possible, and
  /// forgets them.
  std::vector<bound_range> take();

private:
  std::vector<logical_time> bounds_;   // `never` if sent
  std::vector<std::uint32_t> changed_; // connections with an unsent bound
};

} // namespace caf::rosia::detail
