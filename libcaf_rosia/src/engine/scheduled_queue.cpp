// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/scheduled_queue.hpp"

#include <algorithm>
#include <utility>

namespace caf::rosia::engine {

namespace {

/// Orders a heap with the first event in front.
bool later(const scheduled_event& x, const scheduled_event& y) noexcept {
  return x.tag != y.tag ? x.tag > y.tag : x.number > y.number;
}

} // namespace

std::vector<scheduled_event> scheduled_queue::list() const {
  auto result = events_;
  std::sort(result.begin(), result.end(), [](auto& x, auto& y) {
    return later(y, x);
  });
  return result;
}

void scheduled_queue::push(
  logical_time tag, input& action, std::uint32_t index, value content) {
  events_.push_back({tag, pushed_++, &action, index, std::move(content)});
  std::push_heap(events_.begin(), events_.end(), later);
}

scheduled_event scheduled_queue::pop() {
  std::pop_heap(events_.begin(), events_.end(), later);
  auto result = std::move(events_.back());
  events_.pop_back();
  if (result.action->ticks) {
    auto next = result.content.get<tick_times>().first_from(
      saturating_add(result.tag, microsteps(1)));
    if (next != forever)
      push(next, *result.action, result.index, result.content);
  }
  return result;
}

void scheduled_queue::withdraw(const input& action, logical_time tag) {
  auto found = std::find_if(events_.begin(), events_.end(), [&](auto& x) {
    return x.action == &action && x.tag == tag;
  });
  if (found != events_.end() - 1)
    *found = std::move(events_.back());
  events_.pop_back();
  make_heap();
}

void scheduled_queue::begin_at(logical_time tag) {
  std::erase_if(events_, [tag](auto& x) {
    if (!x.action->ticks)
      return false;
    x.tag = x.content.template get<tick_times>().first_from(tag);
    return x.tag == forever;
  });
  make_heap();
}

void scheduled_queue::make_heap() {
  std::make_heap(events_.begin(), events_.end(), later);
}

bool scheduled_queue::set_present(input& action, value content) {
  auto first = !action.present;
  if (first) {
    present_.push_back(&action);
    action.present = true;
  }
  action.values.push_back(std::move(content));
  return first;
}

void scheduled_queue::end_tag() noexcept {
  for (auto* x : present_) {
    x->present = false;
    x->values.clear();
  }
  present_.clear();
}

} // namespace caf::rosia::engine
