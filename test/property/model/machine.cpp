// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "property/model/machine.hpp"

#include "property/model/random.hpp"

#include <algorithm>

namespace model {

world::~world() {
  // nop
}

std::string to_string(const log_entry& x) {
  auto result = caf::rosia::to_string(x.tag) + ' ';
  result += x.reaction == log_entry::start
              ? std::string{"start"}
              : "r" + std::to_string(x.reaction);
  if (x.resumed)
    result += " resumed";
  return result + " #" + std::to_string(x.seen % 100'000);
}

// -- constructors -------------------------------------------------------------

machine::machine(const graph_spec& graph, std::uint32_t node, memory& mind)
  : spec_(&graph.nodes[node]), id_(node), mind_(&mind),
    physical_origins_(spec_->inputs.size()) {
  mind.state = spec_->seed;
  mind.written.assign(spec_->outputs, never);
  mind.promised.assign(spec_->outputs, logical_time{});
  mind.stamped.assign(spec_->inputs.size(), never);
  for (auto& x : graph.connections)
    if (x.physical && x.target == node)
      physical_origins_[x.input].push_back(origin_of(x.source, x.output));
}

// -- running ------------------------------------------------------------------

machine::instance machine::begin_start(world& env) {
  enter(env.now());
  look_at_inputs(log_entry::start, env);
  note(log_entry::start, false);
  instance result;
  result.reaction = log_entry::start;
  result.code = spec_->start ? &*spec_->start : nullptr;
  return result;
}

machine::instance machine::begin(
  std::uint32_t reaction, world& env, bool late) {
  enter(env.now());
  look_at_inputs(reaction, env);
  auto& spec = spec_->reactions[reaction];
  if (spec.mode)
    env.count_reaction(*spec.mode);
  look_at_modes(env);
  look_at_watchdogs(env);
  if (spec.handler)
    note_deadline(late);
  note(reaction, false);
  instance result;
  result.reaction = reaction;
  result.code = late ? &*spec.handler : &spec.code;
  return result;
}

std::optional<delay> machine::resume(instance& x, world& env) {
  enter(env.now());
  look_at_inputs(x.reaction, env);
  note(x.reaction, true);
  return go_on(x, env);
}

std::optional<delay> machine::go_on(instance& x, world& env) {
  if (x.code == nullptr || mind_->tags > spec_->limit)
    return std::nullopt;
  auto& steps = x.code->steps;
  for (;;) {
    if (x.next == steps.size()) {
      if (++x.rounds >= x.code->rounds)
        return std::nullopt;
      x.next = 0;
    }
    auto& y = steps[x.next++];
    if (!wants(y))
      continue;
    switch (y.what) {
      case action::yield:
        return y.distance;
      case action::end:
        x.ended_early = true;
        return std::nullopt;
      default:
        perform(y, x.reaction, env);
        break;
    }
  }
}

// -- implementation -----------------------------------------------------------

void machine::enter(logical_time tag) {
  if (mind_->tags > 0 && tag == mind_->tag)
    return;
  mind_->tag = tag;
  ++mind_->tags;
}

void machine::note(std::uint32_t reaction, bool resumed) {
  mind_->state = mix(mind_->state, reaction * 2 + (resumed ? 1 : 0));
  mind_->log.push_back({mind_->tag, reaction, resumed, mind_->state});
}

void machine::note_deadline(bool late) {
  mind_->deadlines.push_back({mind_->tag, late});
  mind_->state = mix(mind_->state, late ? 1 : 0);
}

void machine::look_at_inputs(std::uint32_t reaction, world& env) {
  for (std::uint32_t i = 0; i < spec_->inputs.size(); ++i) {
    if (reaction != log_entry::start && !spec_->reactions[reaction].may_read(i))
      continue;
    env.look(i, view_);
    mind_->state
      = mix(mind_->state, (view_.has_value ? 1 : 0) + (view_.is_present ? 2 : 0)
                            + view_.all.size() * 4);
    for (auto& x : view_.all)
      mind_->state = mix(mix(mind_->state, x.origin), x.content);
    if (view_.has_value)
      mind_->state
        = mix(mix(mind_->state, view_.last.origin), view_.last.content);
    if (view_.intended != never)
      mind_->state
        = mix(mix(mind_->state, static_cast<std::uint64_t>(view_.intended.ns)),
              view_.intended.microstep);
    if (view_.is_present)
      take_stamps(i);
  }
  for (std::uint32_t i = 0; i < spec_->actions; ++i) {
    env.look_at_action(i, scheduled_);
    mind_->state = mix(mind_->state, scheduled_.size());
    for (auto& x : scheduled_)
      mind_->state = mix(mind_->state, x.content);
  }
}

void machine::look_at_modes(world& env) {
  for (std::uint32_t i = 0; i < spec_->modes; ++i) {
    auto x = env.look_at_mode(i);
    mind_->state
      = mix(mind_->state, x.is_present + x.is_active * 2 + x.by_history * 4);
    mind_->state = mix(mix(mind_->state, x.entries), x.reactions);
  }
}

void machine::look_at_watchdogs(world& env) {
  auto& all = mind_->expiries;
  for (std::uint32_t i = 0; i < spec_->watchdogs.size(); ++i) {
    auto expired = env.has_expired(i);
    mind_->state = mix(mind_->state, expired);
    if (expiry now{mind_->tag, i};
        expired && std::find(all.begin(), all.end(), now) == all.end())
      all.push_back(now);
  }
}

void machine::take_stamps(std::uint32_t input) {
  if (mind_->stamped[input] == mind_->tag)
    return; // another reaction has already read it
  mind_->stamped[input] = mind_->tag;
  auto& origins = physical_origins_[input];
  for (auto& x : view_.all)
    if (x.origin == 0
        || std::find(origins.begin(), origins.end(), x.origin) != origins.end())
      mind_->stamps.push_back({mind_->tag, input, x});
}

bool machine::wants(const step& x) {
  if (x.at_tag > 0) {
    auto& done = mind_->done_once;
    if (mind_->tags != x.at_tag
        || std::find(done.begin(), done.end(), number_of(x)) != done.end())
      return false;
    done.push_back(number_of(x));
  }
  return x.one_in <= 1 || mix(mind_->state, ++mind_->decisions) % x.one_in == 0;
}

bool machine::may_write(std::uint32_t output) const {
  return mind_->written[output] != mind_->tag
         && mind_->promised[output] <= mind_->tag;
}

std::uint64_t machine::number_of(const step& x) const {
  std::uint64_t first = 0;
  auto find = [&](const script& code) -> std::optional<std::uint64_t> {
    for (auto& y : code.steps)
      if (&y == &x)
        return first + static_cast<std::uint64_t>(&y - code.steps.data());
    first += code.steps.size();
    return std::nullopt;
  };
  if (spec_->start)
    if (auto result = find(*spec_->start))
      return *result;
  for (auto& y : spec_->reactions) {
    if (auto result = find(y.code))
      return *result;
    if (y.handler)
      if (auto result = find(*y.handler))
        return *result;
  }
  return first;
}

void machine::perform(const step& x, std::uint32_t reaction, world& env) {
  auto promise = [&] {
    if (x.distance)
      mind_->promised[x.port]
        = std::max(mind_->promised[x.port], mind_->tag + *x.distance);
  };
  switch (x.what) {
    case action::write:
      if (!may_write(x.port))
        break;
      mind_->written[x.port] = mind_->tag;
      promise();
      env.write(
        x.port, {origin_of(id_, x.port), mix(mind_->state, ++mind_->decisions)},
        x.distance);
      break;
    case action::forward:
      env.look(x.other, view_);
      if (!view_.has_value || !may_write(x.port))
        break;
      mind_->written[x.port] = mind_->tag;
      promise();
      env.forward(x.port, x.other, x.distance);
      break;
    case action::promise:
      promise();
      env.promise(x.port, *x.distance);
      break;
    case action::request:
      if (env.request(x.distance, x.status))
        mind_->proposals.push_back(
          x.distance ? mind_->tag + *x.distance : mind_->tag);
      mind_->statuses.push_back(x.status);
      break;
    case action::enter:
      env.enter(x.port, x.other != 0);
      break;
    case action::start_watchdog:
      env.start_watchdog(x.port, x.distance.value_or(delay{}));
      break;
    case action::stop_watchdog:
      env.stop_watchdog(x.port);
      break;
    case action::schedule: {
      // That of an inactive mode would be an error.
      if (auto mode = spec().mode_of(x.port);
          mode && !env.look_at_mode(*mode).is_active)
        break;
      auto occurs = env.schedule(
        x.port, *x.distance, {0, mix(mind_->state, ++mind_->decisions)});
      if (spec().spacing_of(x.port))
        mind_->state = mix(mind_->state, occurs);
      break;
    }
    case action::call:
      env.call(x.port, x.other, mix(mind_->state, ++mind_->decisions));
      break;
    case action::recall:
      look_at_inputs(reaction, env);
      break;
    case action::ask:
      note_deadline(env.is_late());
      break;
    case action::fail:
      env.fail(x.other);
      break;
    default:
      break; // go_on() executes it
  }
}

} // namespace model
