// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/modes.hpp"

#include "engine/action_spacing.hpp"
#include "engine/body.hpp"
#include "engine/event_queue.hpp"

#include <algorithm>
#include <utility>

namespace caf::rosia::engine {

namespace {

/// Returns the distance of an event at `tag` from the tag `from` [10.7.3].
delay distance(logical_time from, logical_time tag) noexcept {
  return tag.ns > from.ns
           ? delay::from_parts(tag.ns - from.ns, tag.microstep)
           : delay::from_parts(0, tag.microstep - from.microstep);
}

/// Returns the content of an event that occurs at `tag`. The further times of a
/// tick follow from there.
value content_at(scheduled_event& x, logical_time tag) {
  if (!x.action->ticks)
    return std::move(x.content);
  auto period = x.content.get<tick_times>().period;
  return make_value<tick_times>(tick_times{tag.ns, period});
}

} // namespace

// -- declarations -------------------------------------------------------------

void modes::add(input& action, std::uint32_t index) {
  auto& added = all_.emplace_back(action, index);
  if (all_.size() > 1)
    return;
  added.was_active = true;
  added.entries.add();
}

void modes::add_member(std::vector<std::uint32_t>& to, std::uint32_t index,
                       std::uint32_t mode) {
  to.resize(index + 1, none);
  to[index] = mode;
}

void modes::add_reaction(std::uint32_t reaction, std::uint32_t mode) {
  add_member(of_reaction_, reaction, mode);
}

void modes::add_action(input& action, std::uint32_t index, std::uint32_t mode) {
  add_member(of_action_, index, mode);
  actions_.push_back({&action, mode});
  guard_actions();
}

void modes::add_tick(input& tick, std::uint32_t index, std::uint32_t mode,
                     const tick_times& times) {
  add_member(of_action_, index, mode);
  ticks_.push_back({&tick, index, mode, times});
}

void modes::add_trigger(input& action) {
  if (std::none_of(triggers_.begin(), triggers_.end(), [&](auto& x) {
        return x.member == &action;
      }))
    triggers_.push_back({&action, false, {}});
}

void modes::init(std::span<input* const> inputs, const body& code) {
  for (auto* port : inputs)
    if (std::any_of(port->reactions.begin(), port->reactions.end(),
                    [&](auto x) { return mode_of_reaction(x) != none; }))
      triggers_.push_back({port, true, {}});
  for (auto& x : triggers_)
    x.reactions.assign(x.member->reactions.begin(), x.member->reactions.end());
  filter(code);
}

// -- properties ---------------------------------------------------------------

std::uint32_t modes::find(std::uint32_t action) const noexcept {
  for (std::uint32_t i = 0; i < all_.size(); ++i)
    if (all_[i].index == action)
      return i;
  return none;
}

std::uint32_t modes::suspended_reaction() const noexcept {
  for (auto& x : all_)
    if (!x.instances.empty())
      return x.instances.front().reaction;
  return none;
}

std::size_t modes::suspended() const noexcept {
  std::size_t result = 0;
  for (auto& x : all_)
    result += x.events.size() + x.instances.size();
  return result;
}

// -- switching ----------------------------------------------------------------

std::vector<suspended_instance> modes::enter(
  event_queue& events, logical_time tag) {
  auto [number, history, called] = *std::exchange(wanted_, std::nullopt);
  auto& entered = all_[number];
  std::vector<suspended_instance> dropped;
  auto by_history = history && entered.was_active;
  if (!by_history || number != active()) {
    suspend_events(events, called);
    if (by_history) {
      restore_events(events, entered, called);
    } else {
      entered.events.clear();
      dropped = std::exchange(entered.instances, {});
      restart_ticks(events, number, called, tag);
    }
  }
  entered.by_history = by_history;
  entered.was_active = true;
  entered.entries.add();
  active_.store(number, std::memory_order_relaxed);
  guard_actions();
  return dropped;
}

void modes::suspend_events(event_queue& events, logical_time tag) {
  auto left = active();
  auto& to = all_[left];
  for (auto& x : events.take_scheduled([&](auto& y) {
         return mode_of_action(y.index) == left;
       }))
    to.events.push_back({distance(tag, x.tag), std::move(x)});
  for (auto& x : events.take_resumptions([&](auto reaction) {
         return mode_of_reaction(reaction) == left;
       }))
    to.instances.push_back({distance(tag, x.tag), x.reaction, x.token});
}

void modes::restore_events(event_queue& events, mode& from, logical_time tag) {
  // The first loops may throw.
  for (auto& x : from.events)
    x.event.tag = tag + x.distance;
  std::vector<logical_time> due;
  for (auto& x : from.instances)
    due.push_back(tag + x.distance);
  for (auto& [_, x] : from.events)
    if (x.tag != forever)
      events.make_scheduled().push(
        x.tag, *x.action, x.index, content_at(x, x.tag));
  from.events.clear();
  for (std::size_t i = 0; i < due.size(); ++i)
    events.yield(due[i], from.instances[i].reaction, from.instances[i].token);
  from.instances.clear();
}

void modes::restart_ticks(event_queue& events, std::uint32_t mode,
                          logical_time from, logical_time tag) {
  for (auto& x : ticks_) {
    if (x.mode != mode)
      continue;
    auto due
      = x.times.offset == 0
          ? tag
          : saturating_add(from, delay::from_parts(x.times.offset, 0));
    if (due != forever)
      events.make_scheduled().push(
        due, *x.action, x.index,
        make_value<tick_times>(tick_times{due.ns, x.times.period}));
  }
}

void modes::guard_actions() noexcept {
  for (auto& x : actions_)
    x.action->spacing_state
      = x.mode == active() ? nullptr : &action_spacing::inactive();
}

void modes::filter(const body& code) {
  for (auto& x : triggers_) {
    auto& to = x.member->reactions;
    to.clear();
    for (auto reaction : x.reactions)
      if (auto mode = mode_of_reaction(reaction);
          mode == none || mode == active())
        to.push_back(reaction);
    if (x.is_port)
      x.member->code = code.only_code(*x.member);
  }
}

// -- checkpoints --------------------------------------------------------------

void modes::forget_events(event_queue& events) {
  events.take_scheduled([&](auto& x) { return saves(x.index); });
}

void modes::restore(std::uint32_t mode, bool is_active, bool was_active,
                    bool by_history, std::uint64_t entries) {
  auto& to = all_[mode];
  to.was_active = was_active;
  to.by_history = by_history;
  to.entries.add(entries - to.entries.value());
  if (!is_active)
    return;
  active_.store(mode, std::memory_order_relaxed);
  guard_actions();
}

void modes::suspend(input& action, std::uint32_t index, const delay& distance,
                    value content) {
  all_[mode_of_action(index)].events.push_back(
    {distance, {{}, 0, &action, index, std::move(content)}});
}

} // namespace caf::rosia::engine
