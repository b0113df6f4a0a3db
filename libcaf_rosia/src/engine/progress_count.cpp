// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/progress_count.hpp"

#include <utility>

namespace caf::rosia::engine {

namespace {

bool is_progress(const activity& before, const activity& now,
                 logical_time final) {
  if (now.count == before.count)
    return false;
  // A node may execute microsteps forever and never reach a later time. Their
  // number is limited only at the time of the final tag.
  return now.code == activity::shutdown_code || now.tag.ns != before.tag.ns
         || now.tag.ns >= final.ns || now.tag.microstep == before.tag.microstep;
}

} // namespace

void progress_count::look(node_id node, const activity& now,
                          logical_time final) {
  if (node >= last_.size())
    last_.resize(node + 1);
  auto before = std::exchange(last_[node], now);
  value_ += is_progress(before, now, final);
}

} // namespace caf::rosia::engine
