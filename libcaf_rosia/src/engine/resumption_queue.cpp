// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/resumption_queue.hpp"

#include <algorithm>

namespace caf::rosia::engine {

void resumption_queue::push_besides(
  logical_time wanted, std::uint32_t reaction, void* token) {
  if (!several_)
    several_ = std::make_unique<multiple>();
  if (auto* first = std::exchange(only_.token, nullptr))
    several_->push(only_.when.tag, only_.when.reaction, first);
  several_->push(wanted, reaction, token);
}

void resumption_queue::list(logical_time tag, std::vector<turn>& into) const {
  if (only_.token != nullptr) {
    if (only_.when.tag == tag)
      into.emplace_back(0, only_.when.reaction);
    return;
  }
  if (!several_)
    return;
  auto& instances = several_->instances;
  for (auto i = instances.begin(); i != instances.end() && i->first.tag == tag;
       ++i)
    into.emplace_back(i->second.number, i->first.reaction);
  std::sort(into.begin(), into.end());
}

void* resumption_queue::pop(logical_time tag, std::uint32_t reaction) {
  if (only_.token != nullptr)
    return std::exchange(only_.token, nullptr);
  auto found = several_->instances.find({tag, reaction});
  auto token = found->second.token;
  several_->instances.erase(found);
  return token;
}

void resumption_queue::multiple::push(
  logical_time wanted, std::uint32_t reaction, void* token) {
  auto tag = free_tag(wanted, reaction);
  instances.emplace(slot{tag, reaction}, instance{pushed++, token, tag});
}

logical_time resumption_queue::multiple::free_tag(
  logical_time wanted, std::uint32_t reaction) {
  if (wanted == forever)
    return forever;
  auto result = wanted;
  auto first = instances.find({wanted, reaction});
  for (auto i = first; i != instances.end();
       i = instances.find({result, reaction}))
    result = next_microstep(i->second.row_end);
  // Caches the end, so that instances with the same tag do not all scan the
  // row.
  if (first != instances.end())
    first->second.row_end = result;
  return result;
}

} // namespace caf::rosia::engine
