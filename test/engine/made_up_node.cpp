// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "made_up_node.hpp"

#include <limits>

namespace engine_test {

namespace {

/// Thrown to stop the simulated node during an execution.
class failing : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

} // namespace

made_up_node::made_up_node(network& net, node_id id, const node_plan& plan)
  : net_(net), id_(id), plan_(plan), code_(plan) {
  // nop
}

made_up_node::~made_up_node() {
  // nop
}

// -- overridden functions of body ---------------------------------------------

void made_up_node::start() {
  code_.start(*this);
  for (auto& x : plan_.requests)
    if (x.at == 0)
      request(x.after, x.status);
  if (plan_.fails_at == 0u)
    fail();
}

void made_up_node::resumed() {
  ++resumptions;
}

void made_up_node::react(std::uint32_t reaction) {
  code_.react(*this, reaction);
}

std::uint32_t made_up_node::next_at_shutdown(
  std::uint32_t from) const noexcept {
  for (auto i = from; i < plan_.reactions.size(); ++i)
    if (plan_.reactions[i].at_shutdown)
      return i;
  return no_reaction;
}

void made_up_node::resume(void* token) {
  std::unique_ptr<continuation> next{static_cast<continuation*>(token)};
  --pending;
  code_.resume(*this, *next);
}

void made_up_node::discard(void* token) noexcept {
  delete static_cast<continuation*>(token);
  --pending;
}

void made_up_node::consumed(std::uint32_t) noexcept {
  --waiting;
}

void made_up_node::reset(std::uint32_t action) {
  code_.reset(action - plan_.actions);
}

void made_up_node::shutdown() {
  ++shutdowns;
  if (plan_.shutdown_fails)
    fail();
}

std::string_view made_up_node::reaction_name(std::uint32_t reaction) const {
  if (reaction >= plan_.reactions.size())
    throw broken_rule("there is no reaction " + std::to_string(reaction));
  return "reaction";
}

std::string_view made_up_node::output_name(std::uint32_t output) const {
  if (output >= plan_.outputs)
    throw broken_rule("there is no output " + std::to_string(output));
  return "output";
}

// -- overridden functions of environment --------------------------------------

logical_time made_up_node::now() const {
  return net_.at(id_).now();
}

bool made_up_node::present(std::uint32_t input) const {
  return net_.input_of(id_, input).present;
}

const std::vector<std::uint64_t>& made_up_node::values(std::uint32_t input) {
  values_.clear();
  for (auto& x : net_.input_of(id_, input).values)
    values_.push_back(number_in(x));
  return values_;
}

void made_up_node::write(std::uint32_t output, std::uint64_t value) {
  net_.at(id_).write(output, make_value(value));
}

void made_up_node::promise(std::uint32_t output, const delay& d) {
  net_.at(id_).promise(output, d);
}

void made_up_node::wait(const delay& d, const continuation& next) {
  auto token = std::make_unique<continuation>(next);
  net_.at(id_).wait(d, token.get());
  token.release();
  ++pending;
}

void made_up_node::schedule(
  std::uint32_t action, const delay& d, std::uint64_t value) {
  net_.at(id_).schedule(
    net_.action_of(id_, action), action, d, make_value(value));
}

const std::vector<std::uint64_t>& made_up_node::scheduled(
  std::uint32_t action) {
  values_.clear();
  for (auto& x : net_.action_of(id_, action).values)
    values_.push_back(number_in(x));
  return values_;
}

void made_up_node::enter(std::uint32_t mode, bool by_history) {
  net_.at(id_).enter(mode, by_history);
}

std::uint32_t made_up_node::active_mode() const {
  return net_.at(id_).modes()->active();
}

void made_up_node::request(const std::optional<delay>& d, int status) {
  net_.at(id_).request_shutdown(d.value_or(delay{}), status);
}

void made_up_node::fail() {
  throw failing(planned_failure);
}

void made_up_node::note(std::uint64_t state) {
  net_.history_of(id_).push_back({now(), record::kind::state, 0, 0, state});
}

// -- free functions -----------------------------------------------------------

made_up_nodes make_nodes(network& net, const plan& planned) {
  made_up_nodes result;
  for (node_id i = 0; i < planned.nodes.size(); ++i)
    result.push_back(std::make_unique<made_up_node>(net, i, planned.nodes[i]));
  return result;
}

std::vector<stamp> stamps_of(const network& net, const plan& planned) {
  std::vector<stamp> result;
  for (node_id i = 0; i < net.size(); ++i)
    for (auto& x : net.history_of(i)) {
      if (x.type != record::kind::input)
        continue;
      if (x.from == engine::tracer::no_connection)
        result.push_back({i, x.tag, stamp::kind::input, x.index, x.value});
      else if (planned.connections[x.from].physical)
        result.push_back({i, x.tag, stamp::kind::connection, x.from, x.value});
    }
  return result;
}

std::vector<node_setup> make_setups(
  const plan& planned, const made_up_nodes& code) {
  std::vector<node_setup> result;
  for (std::size_t i = 0; i < planned.nodes.size(); ++i) {
    auto& from = planned.nodes[i];
    auto& x = result.emplace_back();
    x.inputs = from.inputs;
    x.outputs = from.outputs;
    for (auto& r : from.reactions) {
      if (r.at_shutdown)
        x.at_shutdown.push_back(static_cast<std::uint32_t>(x.triggers.size()));
      x.triggers.push_back(r.triggers);
      x.eager.push_back(r.eager);
      x.acts.push_back(r.acts);
      for (auto mode : r.on_modes)
        x.acts.back().push_back(from.actions + mode);
      x.reaction_modes.push_back(r.mode);
      if (!planned.declares())
        continue;
      auto& ports = x.accesses.emplace_back();
      ports.declared = r.declares;
      ports.reads = r.reads;
      for (std::uint32_t output = 0; output < from.outputs; ++output) {
        if ((from.writes(r) >> output & 1) != 0)
          ports.writes.push_back(output);
        if ((from.writes_later(r) >> output & 1) != 0)
          ports.writes_later.push_back(output);
      }
    }
    x.modes = from.modes;
    x.action_modes = from.action_modes;
    x.actions = from.actions;
    x.spacings = from.spacings;
    x.spaced = from.spaced;
    x.lead = from.lead;
    x.external = from.external();
    x.realtime = from.realtime;
    x.code = code[i].get();
  }
  return result;
}

std::vector<wire> make_wires(const plan& planned) {
  std::vector<wire> result;
  for (auto& x : planned.connections)
    result.push_back(
      {x.source, x.output, x.target, x.input, x.distance, x.physical, 0,
       x.waits ? std::numeric_limits<std::int64_t>::max() : -1});
  return result;
}

network_options make_options(const plan& planned) {
  network_options result;
  result.max_in_flight = planned.max_in_flight;
  if (planned.searching_loop_time_tables)
    result.matrix_up_to = 0;
  result.processes = planned.processes;
  result.traces = planned.traced;
  return result;
}

} // namespace engine_test
