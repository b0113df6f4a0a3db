// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "nodes/saved_data.hpp"

#include "base/exception_text.hpp"
#include "compat/bytes.hpp"
#include "engine/watchdogs.hpp"
#include "nodes/node_access.hpp"

#include <caf/error.hpp>
#include <caf/sec.hpp>

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <typeinfo>

namespace caf::rosia::detail {

namespace {

/// Returns a description for messages: "state 'count' of node 'counter'".
std::string title(std::string_view kind, const std::string& name, node& x) {
  return std::string{kind} + " '" + name + "' of node '" + x.name() + "'";
}

/// Returns the member of this name.
/// @throws std::runtime_error if there is none.
template <class Members>
auto& member_called(const Members& members, std::string_view kind,
                    const std::string& name, node& x) {
  auto i = std::find_if(members.begin(), members.end(), [&](auto* member) {
    return member->name() == name;
  });
  if (i == members.end())
    throw std::runtime_error(
      title(kind, name, x) + " was saved, but the node has none of that name");
  return **i;
}

/// Reads one value, which must use all bytes.
template <class Load>
engine::value read(const std::string& subject, const std::vector<char>& bytes,
                   Load&& load) {
  byte_reader source{bytes};
  caf::error problem;
  engine::value result;
  try {
    result = load(source, problem);
  } catch (...) {
    throw std::runtime_error(
      subject + " cannot be read: " + current_exception_text());
  }
  if (problem || source.remaining() > 0)
    throw std::runtime_error(
      subject
      + " cannot be read: its type does not fit what was saved; if the type "
        "has changed, restore it, or give a state a higher version and a "
        "function that reads the old one (rosia::upgrades); if not, the file "
        "is garbled: use a copy");
  return result;
}

/// Returns the function that reads this version of a state.
state_upgrade reader_of(const state_base& state, std::uint32_t version) {
  if (version == state.version())
    return member_access::payload(state).load;
  return version == 0 || version > state.version()
           ? state_upgrade{}
           : member_access::upgrades(state)[version - 1];
}

void add_last_events(node& x, std::vector<saved_last_event>& to) {
  auto now = node_access::engine(x).logical();
  auto add = [&](auto& member, bool physical) {
    auto* spacing = node_access::spacing(member);
    auto tag = spacing ? spacing->last_present(now) : never;
    // The tags of pending events are saved with these.
    if (tag != never && tag <= now)
      to.push_back({member.name(), physical, tag});
  };
  for (auto* action : node_access::saved(x).actions)
    add(*action, false);
  for (auto* input : node_access::inputs(x))
    add(*input, true);
}

/// Adds the expiries that are not present yet, and the watchdogs that run.
void add_watchdogs(const engine::node& from, const saved_members& members,
                   std::vector<saved_event>& to) {
  auto* watchdogs = from.watchdogs();
  if (watchdogs == nullptr)
    return;
  auto name = [&](auto index) { return members.actions[index]->name(); };
  auto& stamped = *from.events().stamped();
  for (std::size_t i = 0; i < stamped.size(); ++i)
    if (auto& x = stamped[i]; x.kind == engine::envelope_kind::watchdog)
      to.push_back({name(x.index), x.tag, x.content});
  for (auto& x : *watchdogs)
    if (x.runs())
      to.push_back(
        {name(x.index), x.expiry_tag(),
         engine::make_value<engine::watchdog_event>(
           engine::watchdog_event{true})});
}

void add_modes(const engine::modes& from, const saved_members& members,
               saved_data& to) {
  auto name = [&](auto index) { return members.actions[index]->name(); };
  for (std::uint32_t i = 0; i < from.size(); ++i) {
    auto& mode = from[i];
    to.modes.push_back({name(mode.index), i == from.active(), mode.was_active,
                        mode.by_history, mode.entries.value()});
    for (auto& [distance, event] : mode.events)
      to.suspended.push_back({name(event.index), distance, event.content});
  }
}

/// Returns the value of an event. If the period of a tick has changed, its
/// further times follow from its tag.
engine::value event_value(action_base& target, logical_time tag,
                          const std::vector<char>& bytes) {
  auto result = from_bytes(
    title("action", target.name(), *target.parent()), bytes,
    member_access::payload(target));
  if (!member_access::state(target).ticks)
    return result;
  auto period = member_access::times(static_cast<tick&>(target)).period;
  return result.get<engine::tick_times>().period == period
           ? result
           : engine::make_value<engine::tick_times>(
             engine::tick_times{tag.ns, period});
}

/// Checks that an action with a saved event has a mode, which is active or not,
/// or that it neither has one nor ticks.
/// @throws std::runtime_error if not: the program was changed.
void require_mode(action_base& target, bool is_active) {
  auto* modes = node_access::engine(*target.parent()).modes();
  auto mode = modes == nullptr ? engine::modes::none
                               : modes->mode_of_action(target.index());
  auto has_mode = mode != engine::modes::none;
  if (has_mode ? is_active == (mode == modes->active())
               : is_active && !member_access::state(target).ticks)
    return;
  throw std::runtime_error(
    title("action", target.name(), *target.parent()) + " was saved with "
    + (!is_active ? "a suspended event, but is of no mode that is not active"
       : has_mode ? "an event that is due, but its mode is not active"
                  : "an event of a mode, but is a tick without a mode")
    + "; the program was changed: give the action the mode that it had");
}

} // namespace

bool is_running_watchdog(const engine::value& event) {
  return event.type() == typeid(engine::watchdog_event)
         && event.get<engine::watchdog_event>().runs;
}

saved_data copy_data(node& x) {
  saved_data result;
  auto& members = node_access::saved(x);
  for (auto* state : members.states)
    result.states.push_back(
      {state->name(), state->version(), member_access::copy(*state)});
  auto* modes = node_access::engine(x).modes();
  if (modes != nullptr)
    add_modes(*modes, members, result);
  if (auto* scheduled = node_access::engine(x).events().scheduled())
    for (auto& event : scheduled->list())
      // A run that resumes computes the times of ticks without a mode.
      if (!event.action->ticks
          || (modes != nullptr && modes->saves(event.index)))
        result.events.push_back(
          {members.actions[event.index]->name(), event.tag,
           std::move(event.content)});
  add_last_events(x, result.last_events);
  add_watchdogs(node_access::engine(x), members, result.events);
  return result;
}

std::vector<char> to_bytes(const std::string& name, const engine::value& x) {
  std::vector<char> result;
  byte_writer sink{result};
  auto fail = [&name](const std::string& reason) {
    throw std::runtime_error("'" + name + "' cannot be saved: " + reason);
  };
  caf::error problem;
  try {
    problem = x.save(sink);
  } catch (...) {
    fail(current_exception_text());
  }
  if (problem)
    fail(problem == caf::sec::unknown_type
           ? "CAF cannot write its type; give the type an inspect()"
           : caf::to_string(problem));
  return result;
}

engine::value from_bytes(
  const std::string& subject, const std::vector<char>& bytes,
  const engine::payload_type& type) {
  if (type.load == nullptr)
    throw std::runtime_error(
      subject
      + " cannot be read: CAF cannot read its type; give the type an "
        "inspect() and a default constructor");
  return read(subject, bytes, type.load);
}

void restore_state(node& x, const std::string& name, std::uint32_t version,
                   const std::vector<char>& bytes) {
  auto& state = member_called(node_access::saved(x).states, "state", name, x);
  auto subject = title("state", name, x);
  auto load = reader_of(state, version);
  if (!load)
    throw std::runtime_error(
      subject + " was saved in version " + std::to_string(version)
      + ", and the program, with version " + std::to_string(state.version())
      + ", does not read that"
      + (version > state.version()
           ? "; use the newer program"
           : "; give the state a function for it, see rosia::upgrades"));
  member_access::restore(state, read(subject, bytes, load));
}

void restore_last_event(node& x, const saved_last_event& last) {
  auto restore = [&](auto& members) {
    for (auto* member : members)
      if (member->name() == last.action)
        if (auto* spacing = node_access::spacing(*member)) {
          spacing->restore(last.tag);
          spacing->note_present(last.tag);
        }
  };
  if (last.physical)
    restore(node_access::inputs(x));
  else
    restore(node_access::saved(x).actions);
}

void restore_mode(node& x, const saved_mode& mode) {
  auto& target
    = member_called(node_access::saved(x).actions, "mode", mode.name, x);
  if (target.type() != typeid(engine::mode_event))
    throw std::runtime_error(
      title("mode", mode.name, x)
      + " was saved, but the node has an action of that name");
  node_access::engine(x).restore_mode(
    member_access::number(static_cast<rosia::mode&>(target)), mode.is_active,
    mode.was_active, mode.by_history, mode.entries);
}

engine::value restore_suspended(
  node& x, const std::string& action, const delay& distance,
  const std::vector<char>& bytes) {
  auto& target
    = member_called(node_access::saved(x).actions, "action", action, x);
  require_mode(target, false);
  auto result = event_value(target, {}, bytes);
  node_access::engine(x).modes()->suspend(
    member_access::state(target), target.index(), distance, result);
  return result;
}

engine::value restore_event(node& x, const std::string& action,
                            logical_time tag, const std::vector<char>& bytes) {
  auto& target
    = member_called(node_access::saved(x).actions, "action", action, x);
  auto result = event_value(target, tag, bytes);
  auto& engine = node_access::engine(x);
  require_mode(target, true);
  if (result.type() == typeid(engine::mode_event)) {
    auto mode = member_access::number(static_cast<rosia::mode&>(target));
    engine.modes()->restore_request(
      mode, result.get<engine::mode_event>().history, tag);
  }
  if (is_running_watchdog(result))
    engine.restore_watchdog(target.index(), tag.ns);
  else if (result.type() == typeid(engine::watchdog_event))
    engine.restore_expiry(target.index(), tag);
  else
    engine.restore(member_access::state(target), target.index(), tag, result);
  return result;
}

} // namespace caf::rosia::detail
