// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/checkpoint_targets.hpp"

#include <algorithm>
#include <utility>

namespace caf::rosia::detail {

using command = checkpoint_command::kind;

checkpoint_targets::checkpoint_targets(
  std::size_t nodes, std::int64_t every, logical_time after)
  : every_(every), latest_(nodes),
    next_planned_(engine::next_checkpoint(every, engine::just_past(after))) {
  plan_ahead();
}

logical_time checkpoint_targets::last_of(std::size_t node) const {
  return latest_[node] ? latest_[node]->node.logical : never;
}

checkpoint_targets::part_pointer checkpoint_targets::save(
  std::size_t node, const part_pointer& part) {
  auto former = std::exchange(latest_[node], part);
  for (auto& x : all_)
    give(x, node, part);
  for (auto& x : ahead_)
    give(x, node, part);
  plan_ahead();
  return former;
}

std::optional<logical_time> checkpoint_targets::add(
  logical_time tag, command type) {
  if (auto same = std::find_if(
        all_.begin(), all_.end(), [&](auto& x) { return x.tag == tag; });
      same != all_.end()) {
    // A final checkpoint stays final.
    if (same->type != command::final)
      same->type = type;
    return std::nullopt;
  }
  if (type != command::periodic) {
    insert(make(tag, type));
    return std::nullopt;
  }
  while (!ahead_.empty() && ahead_.front().tag < tag)
    ahead_.pop_front();
  std::optional<logical_time> passed;
  if (!ahead_.empty() && ahead_.front().tag == tag) {
    insert(std::move(ahead_.front()));
    ahead_.pop_front();
  } else {
    next_planned_ = std::max(tag, ahead_.empty() ? tag : next_planned_);
    if (auto reached = ahead_.empty() ? furthest() : ahead_.front().tag;
        reached > tag) {
      passed = reached;
    } else {
      insert(make(tag, type));
      next_planned_ = engine::next_checkpoint(every_, engine::just_past(tag));
    }
  }
  plan_ahead();
  return passed;
}

void checkpoint_targets::remove(logical_time tag) {
  std::erase_if(all_, [&](auto& x) { return x.tag == tag; });
}

void checkpoint_targets::end_at(logical_time tag) {
  std::erase_if(all_, [&](auto& x) { return x.tag > tag; });
  ahead_.clear();
  next_planned_ = forever;
}

void checkpoint_targets::give(
  target& to, std::size_t node, const part_pointer& part) {
  if (to.tag < part->node.logical || to.tag >= part->node.until)
    return;
  auto& mine = to.parts[node];
  if (mine == nullptr)
    --to.missing;
  else if (!part->node.left)
    return;
  mine = part;
  // A node that left does not wait.
  std::erase(to.waiting, node);
  if (!part->node.yielded.empty())
    to.waiting.push_back(node);
}

checkpoint_targets::target checkpoint_targets::make(
  logical_time tag, command type) const {
  target result{
    tag, type, latest_.size(), std::vector<part_pointer>(latest_.size())};
  for (std::size_t i = 0; i < latest_.size(); ++i)
    if (latest_[i])
      give(result, i, latest_[i]);
  return result;
}

logical_time checkpoint_targets::furthest() const {
  auto result = never;
  for (auto& part : latest_)
    if (part && !part->node.left)
      result = std::max(result, part->node.logical);
  return result;
}

void checkpoint_targets::plan_ahead() {
  while (next_planned_ != forever && ahead_.size() < most_ahead
         && (ahead_.empty() || ahead_.back().missing == 0)) {
    next_planned_
      = engine::next_checkpoint(every_, std::max(next_planned_, furthest()));
    if (next_planned_ == forever)
      return;
    ahead_.push_back(make(next_planned_, command::periodic));
    next_planned_
      = engine::next_checkpoint(every_, engine::just_past(next_planned_));
  }
}

void checkpoint_targets::insert(target x) {
  auto next = std::find_if(all_.begin(), all_.end(), [&](auto& y) {
    return y.tag > x.tag;
  });
  all_.insert(next, std::move(x));
}

} // namespace caf::rosia::detail
