// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "property/random_node.hpp"

#include "nodes/node_access.hpp"
#include "property/ending_plan.hpp"
#include "property/model/random.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <thread>

namespace property {

using model::delay;
using model::log_entry;
using model::machine;
using model::message;

namespace {

/// Yields the thread, or keeps it busy for a few microseconds.
void dally() {
  thread_local model::random choice{
    std::hash<std::thread::id>{}(std::this_thread::get_id())};
  if (choice.percent(10))
    std::this_thread::yield();
  if (!choice.percent(10))
    return;
  auto until = std::chrono::steady_clock::now()
               + std::chrono::microseconds{choice.below(20)};
  while (std::chrono::steady_clock::now() < until)
    continue;
}

} // namespace

// -- company ------------------------------------------------------------------

bool company::call(std::uint32_t node, std::uint32_t input,
                   std::uint64_t value) {
  // It may be in another process.
  if (nodes[node] == nullptr || !nodes[node]->call(input, {0, value}))
    return false;
  std::lock_guard guard{mutex};
  all_taken.push_back({node, input, value});
  return true;
}

// -- constructors -------------------------------------------------------------

random_node::random_node(company& all, std::uint32_t id)
  : all_(&all), code_(*all.graph, id, *mind_) {
  auto& spec = code_.spec();
  auto is_plain = [](auto& x) { return !x.physical; };
  auto plain = std::count_if(spec.inputs.begin(), spec.inputs.end(), is_plain);
  if (spec.channel)
    channel_.emplace(this, "i", static_cast<std::size_t>(plain));
  for (auto& x : spec.inputs) {
    auto index = inputs_.size();
    auto name = "i" + std::to_string(index);
    if (x.physical)
      inputs_.push_back(&add_physical_action(name, x));
    else if (spec.channel)
      inputs_.push_back(&(*channel_)[index]);
    else
      inputs_.push_back(&plain_inputs_.emplace_back(this, name));
  }
  for (std::uint32_t i = 0; i < spec.outputs; ++i)
    outputs_.emplace_back(this, "o" + std::to_string(i));
  for (std::uint32_t i = 0; i < spec.modes; ++i) {
    auto number = std::to_string(i);
    auto& mode = modes_.emplace_back(this, "m" + number);
    counts_.emplace_back(mode, "count" + number);
  }
  for (std::uint32_t i = 0; i < spec.actions; ++i) {
    auto name = "a" + std::to_string(i);
    if (auto spacing = spec.spacing_of(i))
      actions_.emplace_back(this, name, *spacing);
    else if (auto mode = spec.mode_of(i))
      actions_.emplace_back(modes_[*mode], name);
    else
      actions_.emplace_back(this, name);
  }
  for (auto& x : spec.ticks)
    x.mode ? add_tick(modes_[*x.mode], x) : add_tick(this, x);
  for (auto& x : spec.watchdogs) {
    auto name = "w" + std::to_string(watchdogs_.size());
    std::chrono::nanoseconds timeout{x.timeout};
    if (x.has_handler)
      watchdogs_.emplace_back(this, name, timeout, [this] { ++handlers_; });
    else
      watchdogs_.emplace_back(this, name, timeout);
  }
  for (std::uint32_t i = 0; i < spec.reactions.size(); ++i)
    add_reaction(i);
  // Equivalent in the model.
  if (id % 2 == 1)
    startup_.emplace(this, "begin", [this] { return begin_start(); });
}

rosia::physical_action<message>& random_node::add_physical_action(
  const std::string& name, const model::input_spec& input) {
  auto& all = physical_actions_;
  if (input.spacing && input.after)
    return all.emplace_back(this, name, *input.spacing, *input.after);
  if (input.spacing)
    return all.emplace_back(this, name, *input.spacing);
  if (input.after)
    return all.emplace_back(this, name, *input.after);
  return all.emplace_back(this, name);
}

template <class Parent>
void random_node::add_tick(Parent&& parent, const model::tick_spec& x) {
  auto name = "t" + std::to_string(ticks_.size());
  std::chrono::nanoseconds offset{x.offset};
  std::chrono::nanoseconds period{x.period};
  if (x.period == 0)
    ticks_.emplace_back(parent, name, rosia::once, offset);
  else
    ticks_.emplace_back(parent, name, period, offset);
}

void random_node::add_reaction(std::uint32_t index) {
  auto& spec = code_.spec().reactions[index];
  auto name = "r" + std::to_string(index);
  std::vector<rosia::input_port<message>*> on;
  for (auto trigger : spec.triggers)
    on.push_back(inputs_[trigger]);
  std::vector<rosia::action<message>*> acts;
  for (auto act : spec.acts)
    acts.push_back(&actions_[act]);
  std::vector<rosia::tick*> ticks;
  for (auto tick : spec.ticks)
    ticks.push_back(&ticks_[tick]);
  std::vector<rosia::mode*> modes;
  for (auto mode : spec.on_modes)
    modes.push_back(&modes_[mode]);
  std::vector<rosia::watchdog*> watchdogs;
  for (auto watchdog : spec.on_watchdogs)
    watchdogs.push_back(&watchdogs_[watchdog]);
  // The order of triggers does not matter.
  auto all = channel_ && on.size() == channel_->size() && on == inputs_;
  auto inputs = all ? rosia::detail::trigger_source{*channel_}
                    : rosia::detail::trigger_source{on};
  std::initializer_list<rosia::detail::trigger_source> usual{
    inputs, acts, ticks, modes, watchdogs};
  std::initializer_list<rosia::detail::trigger_source> with_last{
    inputs, acts, rosia::at_shutdown, ticks, modes, watchdogs};
  auto triggers = spec.at_shutdown ? with_last : usual;
  auto declared = declared_ports(spec);
  auto play_it = [this, index] { return play(begin(index)); };
  auto run_it = [this, index] { run(begin(index)); };
  auto add_code = [&](auto... options) {
    auto add_to = [&](auto&& parent) {
      if (spec.code.yields())
        reactions_.emplace_back(parent, name, triggers, play_it, options...);
      else
        reactions_.emplace_back(parent, name, triggers, run_it, options...);
    };
    spec.mode ? add_to(modes_[*spec.mode]) : add_to(this);
  };
  auto add_declared = [&](auto... options) {
    if (spec.declares)
      add_code(rosia::reads(declared.read), rosia::writes(declared.written),
               rosia::writes_later(declared.written_later), options...);
    else
      add_code(options...);
  };
  auto add = [&](auto... deadline) {
    spec.eager
      ? add_declared(rosia::eager, deadline...)
      : add_declared(deadline...);
  };
  if (!spec.deadline)
    return add();
  std::chrono::nanoseconds limit{*spec.deadline};
  if (!spec.handler)
    add(rosia::deadline{limit});
  else if (spec.handler->yields())
    add(rosia::deadline{
      limit, [this, index] { return play(begin(index, true)); }});
  else
    add(rosia::deadline{limit, [this, index] { run(begin(index, true)); }});
}

random_node::port_lists random_node::declared_ports(
  const model::reaction_spec& spec) {
  port_lists result;
  for (auto input : spec.reads)
    result.read.push_back(inputs_[input]);
  for (auto output : spec.writes())
    result.written.push_back(&outputs_[output]);
  for (auto output : spec.writes_later())
    result.written_later.push_back(&outputs_[output]);
  return result;
}

void random_node::check_present() {
  std::vector<std::size_t> expected;
  for (std::size_t i = 0; i < channel_->size(); ++i)
    if ((*channel_)[i].is_present())
      expected.push_back(i);
  std::vector<std::size_t> found;
  for (auto [index, port] : channel_->present())
    found.push_back(index);
  if (found != expected)
    present_was_wrong_ = true;
}

// -- called by the library ----------------------------------------------------

rosia::task random_node::start() {
  if (startup_)
    return {};
  return begin_start();
}

rosia::task random_node::begin_start() {
  prepare();
  auto x = code_.begin_start(hands_);
  if (x.code != nullptr && x.code->yields())
    return play(std::move(x));
  run(std::move(x));
  return {};
}

void random_node::shutdown() {
  ++shutdowns_;
  if (all_->fails_in_shutdown == code_.id())
    throw std::runtime_error("made on purpose, in shutdown()");
}

bool random_node::call(std::uint32_t input, const message& x) {
  return static_cast<rosia::physical_action<message>*>(inputs_[input])
    ->schedule(x);
}

machine::instance random_node::begin(std::uint32_t reaction, bool late) {
  prepare();
  if (channel_ && !code_.spec().reactions[reaction].declares)
    check_present();
  return code_.begin(reaction, hands_, late);
}

void random_node::run(machine::instance activation) {
  code_.go_on(activation, hands_);
  if (activation.ended_early)
    rosia::end_reaction();
}

rosia::task random_node::play(machine::instance activation) {
  auto wait = code_.go_on(activation, hands_);
  if (wait && activation.code->nested) {
    co_await play_rest(activation, *wait);
    co_return;
  }
  while (wait) {
    co_await rosia::after(*wait);
    prepare();
    wait = code_.resume(activation, hands_);
  }
  if (activation.ended_early)
    rosia::end_reaction();
}

rosia::task random_node::play_rest(machine::instance& activation, delay first) {
  for (std::optional<delay> wait = first; wait;) {
    co_await rosia::after(*wait);
    prepare();
    wait = code_.resume(activation, hands_);
  }
  if (activation.ended_early)
    rosia::end_reaction();
}

void random_node::prepare() {
  auto& engine = rosia::detail::node_access::engine(*this);
  if (engine.realtime() && !ran_early_ && elapsed().count() < now().ns)
    ran_early_ = now();
  if (all_->dallies)
    dally();
  if (all_->ending != nullptr && all_->ending->step(*this)) {
    failed_ = true;
    throw std::runtime_error("made on purpose, at a random moment");
  }
}

// -- hands --------------------------------------------------------------------

model::logical_time random_node::hands::now() {
  return self_->now();
}

void random_node::hands::look(std::uint32_t input, model::view& into) {
  auto& port = *self_->inputs_[input];
  into.has_value = port.has_value();
  into.is_present = port.is_present();
  into.all.assign(port.all().begin(), port.all().end());
  if (into.has_value)
    into.last = *port;
  into.intended = port.is_tardy() ? port.intended() : rosia::never;
}

void random_node::hands::write(std::uint32_t output, const message& content,
                               const std::optional<delay>& promise) {
  auto& port = self_->outputs_[output];
  if (promise)
    port(content, rosia::output_promise(*promise));
  else
    port(content);
}

void random_node::hands::forward(std::uint32_t output, std::uint32_t input,
                                 const std::optional<delay>& promise) {
  auto& to = self_->outputs_[output];
  auto& from = *self_->inputs_[input];
  if (promise)
    to(from, rosia::output_promise(*promise));
  else
    to(from);
}

void random_node::hands::promise(std::uint32_t output, const delay& d) {
  self_->outputs_[output].promise(d);
}

bool random_node::hands::schedule(
  std::uint32_t action, const delay& d, const message& x) {
  return self_->actions_[action].schedule(d, x);
}

model::world::mode_view random_node::hands::look_at_mode(std::uint32_t mode) {
  auto& state = self_->modes_[mode];
  return {
    .is_present = state.is_present(),
    .is_active = state.is_active(),
    .by_history = state.by_history(),
    .entries = state.entries(),
    .reactions = self_->counts_[mode]};
}

void random_node::hands::count_reaction(std::uint32_t mode) {
  ++*self_->counts_[mode];
}

void random_node::hands::enter(std::uint32_t mode, bool by_history) {
  auto& x = self_->modes_[mode];
  by_history ? x.enter(rosia::history) : x.enter();
}

bool random_node::hands::has_expired(std::uint32_t watchdog) {
  return self_->watchdogs_[watchdog].is_present();
}

void random_node::hands::start_watchdog(
  std::uint32_t watchdog, const delay& extra) {
  self_->watchdogs_[watchdog].start(std::chrono::nanoseconds{extra.ns()});
}

void random_node::hands::stop_watchdog(std::uint32_t watchdog) {
  self_->watchdogs_[watchdog].stop();
}

bool random_node::hands::is_late() {
  return self_->deadline_missed();
}

void random_node::hands::look_at_action(
  std::uint32_t action, std::vector<message>& into) {
  auto all = self_->actions_[action].all();
  into.assign(all.begin(), all.end());
}

bool random_node::hands::request(
  const std::optional<delay>& d, std::int32_t status) {
  if (!d && status == 0)
    self_->request_shutdown();
  else
    self_->request_shutdown(d.value_or(delay{}), status);
  return !self_->is_at_last_tag();
}

void random_node::hands::call(
  std::uint32_t node, std::uint32_t input, std::uint64_t value) {
  self_->all_->call(node, input, value);
}

void random_node::hands::fail(std::uint32_t kind) {
  self_->failed_ = true;
  if (!self_->outputs_.empty()) {
    auto& port = self_->outputs_.front();
    switch (kind) {
      case 0: // at most one write at a tag
        port(message{});
        port(message{});
        break;
      case 1: // breaks a promise
        port.promise(std::chrono::hours{1});
        port(message{});
        break;
      case 2:
        port.promise(std::chrono::nanoseconds{-1});
        break;
      default:
        break;
    }
  }
  if (kind == 3)
    throw 3;
  throw std::runtime_error("made on purpose");
}

} // namespace property
