// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "shutdown/recheck_list.hpp"

#include <algorithm>
#include <utility>

namespace caf::rosia::detail {

bool recheck_list::add(participant& actor, clock::time_point now) {
  auto is_first = actors_.empty();
  if (is_first)
    due_at_ = now + pause_;
  actors_.push_back(&actor);
  return is_first;
}

std::vector<participant*> recheck_list::take(clock::time_point now) {
  if (now < due_at())
    return {};
  pause_ = std::min<clock::duration>(2 * pause_, longest_pause);
  return std::exchange(actors_, {});
}

} // namespace caf::rosia::detail
