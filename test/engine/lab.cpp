// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "lab.hpp"

#include <algorithm>

namespace engine_test {

// -- code ---------------------------------------------------------------------

code::code(network& net, node_id id, script x)
  : role(std::move(x)), net_(net), id_(id) {
  // nop
}

logical_time code::now() const {
  return net_.at(id_).now();
}

void code::write(std::uint32_t port, std::uint64_t value) {
  net_.at(id_).write(port, make_value(value));
}

void code::promise(const delay& d, std::uint32_t port) {
  net_.at(id_).promise(port, d);
}

void code::wait(const delay& d, continuation next) {
  auto token = std::make_unique<continuation>(std::move(next));
  net_.at(id_).wait(d, token.get());
  token.release();
}

bool code::schedule(const delay& d, std::uint64_t value, std::uint32_t action) {
  return net_.at(id_).schedule(
    net_.action_of(id_, action), action, d, make_value(value));
}

std::vector<std::uint64_t> code::scheduled(std::uint32_t action) const {
  std::vector<std::uint64_t> result;
  for (auto& x : net_.action_of(id_, action).values)
    result.push_back(number_in(x));
  return result;
}

void code::request(const delay& d, int status) {
  net_.at(id_).request_shutdown(d, status);
}

void code::start_watchdog(std::uint32_t watchdog, std::int64_t extra) {
  net_.at(id_).start_watchdog(role.actions + watchdog, extra);
}

void code::stop_watchdog(std::uint32_t watchdog) {
  net_.at(id_).stop_watchdog(role.actions + watchdog);
}

void code::enter(std::uint32_t mode, bool by_history) {
  net_.at(id_).enter(mode, by_history);
}

bool code::entered(std::uint32_t mode) const {
  auto first = role.actions + role.watchdogs.size();
  return net_.action_of(id_, static_cast<std::uint32_t>(first) + mode).present;
}

bool code::expired(std::uint32_t watchdog) const {
  return net_.action_of(id_, role.actions + watchdog).present;
}

bool code::present(std::uint32_t port) const {
  return net_.input_of(id_, port).present;
}

logical_time code::intended(std::uint32_t port) const {
  auto* result = net_.at(id_).intended(port);
  return result == nullptr ? now() : *result;
}

std::vector<std::uint64_t> code::values(std::uint32_t port) const {
  std::vector<std::uint64_t> result;
  for (auto& x : net_.input_of(id_, port).values)
    result.push_back(number_in(x));
  return result;
}

void code::start() {
  if (role.start)
    role.start(*this);
}

void code::react(std::uint32_t reaction) {
  if (role.react)
    role.react(*this, reaction);
}

std::uint32_t code::next_at_shutdown(std::uint32_t from) const noexcept {
  auto& all = role.at_shutdown;
  auto next = std::lower_bound(all.begin(), all.end(), from);
  return next == all.end() ? no_reaction : *next;
}

void code::resume(void* token) {
  std::unique_ptr<continuation> next{static_cast<continuation*>(token)};
  (*next)(*this);
}

void code::discard(void* token) noexcept {
  delete static_cast<continuation*>(token);
  ++discarded;
}

void code::consumed(std::uint32_t) noexcept {
  ++taken;
}

void code::expire(std::uint32_t action) {
  role.expire(*this, action - role.actions);
}

void code::reset(std::uint32_t) {
  ++resets;
}

void code::shutdown() {
  ++shutdowns;
  if (role.shutdown)
    role.shutdown(*this);
}

std::string_view code::reaction_name(std::uint32_t reaction) const {
  constexpr std::string_view names[] = {"r0", "r1", "r2", "r3", "r4", "r5"};
  return names[reaction];
}

std::string_view code::action_name(std::uint32_t action) const {
  constexpr std::string_view names[] = {"a0", "a1", "a2", "a3", "a4", "a5"};
  return names[action];
}

std::string_view code::output_name(std::uint32_t output) const {
  constexpr std::string_view names[] = {"o0", "o1", "o2", "o3"};
  return names[output];
}

// -- building -----------------------------------------------------------------

lab::~lab() {
  clear();
}

node_id lab::add(script role) {
  if (role.triggers.empty()) {
    auto& all = role.triggers.emplace_back();
    for (std::uint32_t i = 0; i < role.inputs; ++i)
      all.push_back(i);
  }
  if (role.acts.empty())
    for (std::uint32_t i = 0; i < role.actions + role.watchdogs.size(); ++i) {
      role.acts.resize(1);
      role.acts[0].push_back(i);
    }
  auto id = static_cast<node_id>(codes_.size());
  codes_.push_back(std::make_unique<code>(*this, id, std::move(role)));
  return id;
}

void lab::connect(node_id source, node_id target, const delay& d) {
  connect(wire{source, 0, target, 0, d, false});
}

void lab::connect(const wire& x) {
  wires_.push_back(x);
}

void lab::connect_physical(node_id source, node_id target) {
  connect(wire{source, 0, target, 0, {}, true});
}

void lab::connect_waiting(node_id source, node_id target, std::int64_t wait,
                          const delay& d) {
  connect(wire{source, 0, target, 0, d, false, 0, wait});
}

void lab::assemble(const network_options& options) {
  std::vector<node_setup> setups;
  for (auto& x : codes_) {
    auto& y = setups.emplace_back();
    y.inputs = x->role.inputs;
    y.outputs = x->role.outputs;
    y.triggers = x->role.triggers;
    y.eager.assign(y.triggers.size(), x->role.eager);
    y.actions = x->role.actions;
    y.acts = x->role.acts;
    y.at_shutdown = x->role.at_shutdown;
    y.accesses = x->role.accesses;
    y.spacings = x->role.spacings;
    y.spaced = x->role.spaced;
    y.lead = x->role.lead;
    y.watchdogs = x->role.watchdogs;
    y.has_handlers = x->role.expire != nullptr;
    y.modes = x->role.modes;
    y.reaction_modes = x->role.reaction_modes;
    y.action_modes = x->role.action_modes;
    y.external = x->role.external;
    y.realtime = x->role.realtime;
    y.lag_warn = x->role.lag_warn;
    y.code = x.get();
  }
  build(setups, wires_, options);
}

// -- running ------------------------------------------------------------------

void lab::start_all() {
  for (node_id i = 0; i < size(); ++i)
    if (!started(i))
      start(i);
}

void lab::run() {
  auto first = activations;
  for (auto again = true; again;) {
    again = false;
    for (node_id i = 0; i < size(); ++i)
      if (scheduled(i)) {
        again = true;
        activate(i);
      }
    // Messages in transit between processes.
    for (node_id from = 0; from < size(); ++from)
      for (node_id to = 0; to < size(); ++to)
        if (!holds_back(from, to) && deliver(from, to))
          again = true;
    if (activations > first + 1'000'000)
      throw broken_rule("the nodes never stop");
  }
}

void lab::run_until(std::int64_t time) {
  run();
  while (next_wake() <= time) {
    set_clock(next_wake());
    run();
  }
  set_clock(time);
  run();
}

void lab::hold(node_id from, node_id to) {
  held_.emplace(from, to);
}

void lab::release(node_id from, node_id to) {
  held_.erase({from, to});
  deliver_all(from, to);
}

bool lab::holds_back(node_id from, node_id to) {
  return held_.contains({from, to});
}

void lab::meanwhile() {
  if (auto action = std::exchange(in_the_meantime, nullptr)) {
    action();
    if (!in_the_meantime)
      in_the_meantime = std::move(action);
  }
}

void lab::on_report(node_id id, const report& x) {
  reports.emplace_back(id, x);
}

// -- observing ----------------------------------------------------------------

std::vector<logical_time> lab::promised(std::uint32_t connection) const {
  std::vector<logical_time> result;
  for (auto& x : promises)
    if (x.connection == connection)
      result.push_back(x.tag);
  return result;
}

std::vector<logical_time> lab::asked_on(std::uint32_t connection) const {
  std::vector<logical_time> result;
  for (auto& x : asks)
    if (x.connection == connection)
      result.push_back(x.tag);
  return result;
}

std::vector<logical_time> lab::arrivals(std::uint32_t connection) const {
  std::vector<logical_time> result;
  for (auto& x : sends)
    if (x.connection == connection)
      result.push_back(x.arrival);
  return result;
}

// -- lab_coordinator ----------------------------------------------------------

lab_coordinator::lab_coordinator(
  lab& net, std::optional<logical_time> stop_after)
  : coordinator(net.size(), stop_after), net_(net) {
  if (stop_after)
    for (node_id i = 0; i < net.size(); ++i)
      net.take_final(i, *stop_after, *stop_after);
}

void lab_coordinator::serve() {
  while (served_ < net_.reports.size()) {
    auto [id, x] = net_.reports[served_++];
    receive(id, x);
  }
}

void lab_coordinator::run() {
  for (auto before = ~std::uint64_t{0}; before != net_.activations;) {
    before = net_.activations;
    net_.run();
    serve();
    net_.run();
  }
}

void lab_coordinator::notify(node_id id, const notice& x) {
  net_.inform(id, x);
}

} // namespace engine_test
