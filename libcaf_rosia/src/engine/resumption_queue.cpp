// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/resumption_queue.hpp"

#include <algorithm>

namespace caf::rosia::engine {

void resumption_queue::push(
  logical_time wanted, std::uint32_t reaction, void* token) {
  auto tag = free_tag(wanted, reaction);
  instances_.emplace(slot{tag, reaction}, instance{pushed_++, token, tag});
}

void resumption_queue::list(logical_time tag, std::vector<turn>& into) const {
  for (auto i = instances_.begin();
       i != instances_.end() && i->first.tag == tag; ++i)
    into.emplace_back(i->second.number, i->first.reaction);
  std::sort(into.begin(), into.end());
}

void* resumption_queue::pop(logical_time tag, std::uint32_t reaction) {
  auto found = instances_.find({tag, reaction});
  auto token = found->second.token;
  instances_.erase(found);
  return token;
}

logical_time resumption_queue::free_tag(
  logical_time wanted, std::uint32_t reaction) {
  if (wanted == forever)
    return forever;
  auto result = wanted;
  auto first = instances_.find({wanted, reaction});
  for (auto i = first; i != instances_.end();
       i = instances_.find({result, reaction}))
    result = next_microstep(i->second.row_end);
  // Or each of many that want the same would walk past all before it.
  if (first != instances_.end())
    first->second.row_end = result;
  return result;
}

} // namespace caf::rosia::engine
