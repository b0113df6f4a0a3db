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

machine::machine(const graph_spec& graph, std::uint32_t node)
  : spec_(&graph.nodes[node]), id_(node), state_(spec_->seed),
    written_(spec_->outputs, never), promised_(spec_->outputs),
    stamped_(spec_->inputs.size(), never),
    physical_origins_(spec_->inputs.size()) {
  for (auto& x : graph.connections)
    if (x.physical && x.target == node)
      physical_origins_[x.input].push_back(origin_of(x.source, x.output));
}

// -- running ------------------------------------------------------------------

machine::instance machine::begin_start(world& env) {
  enter(env.now());
  look_at_inputs(env);
  note(log_entry::start, false);
  instance result;
  result.reaction = log_entry::start;
  result.code = spec_->start ? &*spec_->start : nullptr;
  return result;
}

machine::instance machine::begin(
  std::uint32_t reaction, std::optional<message> payload, world& env) {
  enter(env.now());
  look_at_inputs(env);
  if (payload) {
    state_ = mix(state_, payload->content);
    stamps_.push_back({tag_, true, reaction, *payload});
  }
  note(reaction, false);
  instance result;
  result.reaction = reaction;
  result.code = &spec_->reactions[reaction].code;
  result.payload = payload;
  return result;
}

std::optional<delay> machine::resume(instance& x, world& env) {
  enter(env.now());
  look_at_inputs(env);
  note(x.reaction, true);
  return go_on(x, env);
}

std::optional<delay> machine::go_on(instance& x, world& env) {
  if (x.code == nullptr || tags_ > spec_->limit)
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
        perform(y, x, env);
        break;
    }
  }
}

// -- implementation -----------------------------------------------------------

void machine::enter(logical_time tag) {
  if (tags_ > 0 && tag == tag_)
    return;
  tag_ = tag;
  ++tags_;
}

void machine::note(std::uint32_t reaction, bool resumed) {
  state_ = mix(state_, reaction * 2 + (resumed ? 1 : 0));
  log_.push_back({tag_, reaction, resumed, state_});
}

void machine::look_at_inputs(world& env) {
  for (std::uint32_t i = 0; i < spec_->inputs.size(); ++i) {
    env.look(i, view_);
    state_ = mix(state_, (view_.has_value ? 1 : 0) + (view_.is_present ? 2 : 0)
                           + view_.all.size() * 4);
    for (auto& x : view_.all)
      state_ = mix(mix(state_, x.origin), x.content);
    if (view_.has_value)
      state_ = mix(mix(state_, view_.last.origin), view_.last.content);
    if (view_.is_present)
      take_stamps(i);
  }
  for (std::uint32_t i = 0; i < spec_->actions; ++i) {
    env.look_at_action(i, scheduled_);
    state_ = mix(state_, scheduled_.size());
    for (auto& x : scheduled_)
      state_ = mix(state_, x.content);
  }
}

void machine::take_stamps(std::uint32_t input) {
  if (stamped_[input] == tag_)
    return; // another reaction saw it already
  stamped_[input] = tag_;
  auto& origins = physical_origins_[input];
  for (auto& x : view_.all)
    if (x.origin == 0
        || std::find(origins.begin(), origins.end(), x.origin) != origins.end())
      stamps_.push_back({tag_, false, input, x});
}

bool machine::wants(const step& x) {
  if (x.at_tag > 0) {
    if (tags_ != x.at_tag
        || std::find(done_once_.begin(), done_once_.end(), &x)
             != done_once_.end())
      return false;
    done_once_.push_back(&x);
  }
  return x.one_in <= 1 || mix(state_, ++decisions_) % x.one_in == 0;
}

bool machine::may_write(std::uint32_t output) const {
  return written_[output] != tag_ && promised_[output] <= tag_;
}

void machine::perform(const step& x, instance& who, world& env) {
  auto promise = [&] {
    if (x.distance)
      promised_[x.port] = std::max(promised_[x.port], tag_ + *x.distance);
  };
  switch (x.what) {
    case action::write:
      if (!may_write(x.port))
        break;
      written_[x.port] = tag_;
      promise();
      env.write(x.port, {origin_of(id_, x.port), mix(state_, ++decisions_)},
                x.distance);
      break;
    case action::forward:
      env.look(x.other, view_);
      if (!view_.has_value || !may_write(x.port))
        break;
      written_[x.port] = tag_;
      promise();
      env.forward(x.port, x.other, x.distance);
      break;
    case action::promise:
      promise();
      env.promise(x.port, *x.distance);
      break;
    case action::request:
      proposals_.push_back(x.distance ? tag_ + *x.distance : tag_);
      statuses_.push_back(x.status);
      env.request(x.distance, x.status);
      break;
    case action::schedule:
      env.schedule(x.port, *x.distance, {0, mix(state_, ++decisions_)});
      break;
    case action::call:
      env.call(x.port, x.other, mix(state_, ++decisions_));
      break;
    case action::recall:
      state_ = mix(state_, who.payload ? who.payload->content : 1);
      break;
    case action::fail:
      env.fail(x.other);
      break;
    default:
      break; // go_on() does it
  }
}

} // namespace model
