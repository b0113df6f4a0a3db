// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "property/model/machine.hpp"

#include "property/model/random.hpp"

#include <algorithm>

namespace model {

world::~world() {
  // nop
}

std::string to_string(const log_entry& entry) {
  auto result = caf::rosia::to_string(entry.tag) + ' ';
  result += entry.reaction == log_entry::start
              ? std::string{"start"}
              : "r" + std::to_string(entry.reaction);
  if (entry.resumed)
    result += " resumed";
  return result + " #" + std::to_string(entry.seen % 100'000);
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

std::optional<delay> machine::go_on(instance& activation, world& env) {
  if (activation.code == nullptr || mind_->tags > spec_->limit)
    return std::nullopt;
  auto& steps = activation.code->steps;
  for (;;) {
    if (activation.next == steps.size()) {
      if (++activation.rounds >= activation.code->rounds)
        return std::nullopt;
      activation.next = 0;
    }
    auto& y = steps[activation.next++];
    if (!wants(y))
      continue;
    switch (y.kind) {
      case action::yield:
        return y.distance;
      case action::end:
        activation.ended_early = true;
        return std::nullopt;
      default:
        perform(y, activation.reaction, env);
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

bool machine::wants(const step& statement) {
  if (statement.at_tag > 0) {
    auto& done = mind_->done_once;
    if (mind_->tags != statement.at_tag
        || std::find(done.begin(), done.end(), number_of(statement))
             != done.end())
      return false;
    done.push_back(number_of(statement));
  }
  return statement.one_in <= 1
         || mix(mind_->state, ++mind_->decisions) % statement.one_in == 0;
}

bool machine::may_write(std::uint32_t output) const {
  return mind_->written[output] != mind_->tag
         && mind_->promised[output] <= mind_->tag;
}

std::uint64_t machine::number_of(const step& statement) const {
  std::uint64_t first = 0;
  auto find = [&](const script& code) -> std::optional<std::uint64_t> {
    for (auto& y : code.steps)
      if (&y == &statement)
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

void machine::perform(const step& statement, std::uint32_t reaction,
                      world& env) {
  auto promise = [&] {
    if (statement.distance)
      mind_->promised[statement.port] = std::max(
        mind_->promised[statement.port], mind_->tag + *statement.distance);
  };
  switch (statement.kind) {
    case action::write:
      if (!may_write(statement.port))
        break;
      mind_->written[statement.port] = mind_->tag;
      promise();
      env.write(
        statement.port,
        {origin_of(id_, statement.port), mix(mind_->state, ++mind_->decisions)},
        statement.distance);
      break;
    case action::forward:
      env.look(statement.other, view_);
      if (!view_.has_value || !may_write(statement.port))
        break;
      mind_->written[statement.port] = mind_->tag;
      promise();
      env.forward(statement.port, statement.other, statement.distance);
      break;
    case action::promise:
      promise();
      env.promise(statement.port, *statement.distance);
      break;
    case action::request:
      if (env.request(statement.distance, statement.status))
        mind_->proposals.push_back(
          statement.distance ? mind_->tag + *statement.distance : mind_->tag);
      mind_->statuses.push_back(statement.status);
      break;
    case action::enter:
      env.enter(statement.port, statement.other != 0);
      break;
    case action::start_watchdog:
      env.start_watchdog(statement.port, statement.distance.value_or(delay{}));
      break;
    case action::stop_watchdog:
      env.stop_watchdog(statement.port);
      break;
    case action::schedule: {
      // That of an inactive mode would be an error.
      if (auto mode = spec().mode_of(statement.port);
          mode && !env.look_at_mode(*mode).is_active)
        break;
      auto occurs = env.schedule(
        statement.port, *statement.distance,
        {0, mix(mind_->state, ++mind_->decisions)});
      if (spec().spacing_of(statement.port))
        mind_->state = mix(mind_->state, occurs);
      break;
    }
    case action::call:
      env.call(
        statement.port, statement.other, mix(mind_->state, ++mind_->decisions));
      break;
    case action::recall:
      look_at_inputs(reaction, env);
      break;
    case action::ask:
      note_deadline(env.is_late());
      break;
    case action::fail:
      env.fail(statement.other);
      break;
    default:
      break; // go_on() executes it
  }
}

} // namespace model
