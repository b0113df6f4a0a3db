// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/last_tag.hpp"

#include <algorithm>

namespace caf::rosia::engine {

std::vector<last_tag::message> last_tag::take_messages() {
  // A connection has one message at most.
  std::sort(messages_.begin(), messages_.end(), [](auto& x, auto& y) {
    return x.connection < y.connection;
  });
  return std::exchange(messages_, {});
}

} // namespace caf::rosia::engine
