// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/node_config.hpp"

#include "engine/node.hpp"

#include <algorithm>

namespace caf::rosia::engine {

bool node_config::follows_clock() const noexcept {
  return realtime || external || watched || has_waits
         || std::any_of(
           in.begin(), in.end(), [](auto& x) { return x.physical; });
}

bool node_config::shares_instant_loop(const in_connection& x) const noexcept {
  return instant_loop != nullptr && x.fused != nullptr
         && x.fused->config().instant_loop == instant_loop;
}

} // namespace caf::rosia::engine
