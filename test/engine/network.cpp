// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "network.hpp"

#include <caf/make_counted.hpp>

#include <algorithm>

namespace engine_test {

using caf::rosia::saturating_add;
using engine::envelope;

namespace {

std::string name_of_port(node_id node, bool output, std::uint32_t index) {
  using std::to_string;
  return to_string(node) + (output ? ".out" : ".in") + to_string(index);
}

} // namespace

engine::value_ptr make_value(std::uint64_t x) {
  return caf::make_counted<engine::box<std::uint64_t>>(std::in_place, x);
}

std::uint64_t number_in(const engine::value& x) {
  return static_cast<const engine::box<std::uint64_t>&>(x).content;
}

// -- ledgers ------------------------------------------------------------------

class network::shared_ledger : public engine::ledger {
public:
  shared_ledger(network& net, std::vector<node_id> nodes,
                const std::vector<edge>& edges,
                const std::vector<bool>& clocked)
    : ledger(std::move(nodes), edges, clocked, net.options_.matrix_up_to),
      net_(net) {
    // nop
  }

  void lock() override {
    if (!net_.ledger_locked())
      net_.meanwhile();
    if (locked_)
      throw broken_rule("a ledger is locked twice");
    locked_ = true;
    ++net_.locked_;
  }

  void unlock() override {
    locked_ = false;
    --net_.locked_;
  }

private:
  network& net_;
  bool locked_ = false;
};

// -- the host -----------------------------------------------------------------

network::cell::cell(network& owner, node_id number, const node_setup& what)
  : net(owner), id(number), inputs(what.inputs), outputs(what.outputs),
    realtime(what.realtime) {
  for (std::uint32_t i = 0; i < what.triggers.size(); ++i)
    for (auto port : what.triggers[i])
      inputs[port].reactions.push_back(i);
}

std::int64_t network::cell::elapsed() {
  net.meanwhile();
  return net.clock_;
}

std::int64_t network::cell::coarse_elapsed() {
  return net.clock_;
}

bool network::cell::has_mail() {
  net.meanwhile();
  return !inbox.empty();
}

void network::cell::drain(std::vector<envelope>& into) {
  if (!into.empty())
    net.broken(id, "drains into what is not empty");
  into.swap(inbox);
  if (!std::exchange(forged, false))
    for (auto& x : into)
      net.check_arrival(id, x);
}

void network::cell::send(node_id receiver, std::vector<envelope>& batch) {
  net.meanwhile();
  if (batch.empty())
    net.broken(id, "sends nothing");
  for (auto& x : batch)
    if (x.what == envelope::kind::ask)
      net.asks.push_back({net.out_[receiver][x.connection], x.tag});
  net.post(id, receiver, std::exchange(batch, {}));
}

void network::cell::wake(node_id who) {
  net.meanwhile();
  ++net.wakes;
  net.post(id, who, {});
}

void network::cell::close() {
  closed = true;
}

void network::cell::request(logical_time proposal, int status) {
  net.requests.push_back({id, proposal, status});
  net.on_request(id, proposal, status);
}

void network::cell::answer(logical_time tag) {
  net.answers.emplace_back(id, tag);
  net.on_answer(id, tag);
}

void network::cell::failed(const engine::failure& what) {
  net.failures.emplace_back(id, what);
  net.on_failed(id, what);
}

void network::cell::shutdown_failed(const engine::failure& what) {
  net.shutdown_failures.emplace_back(id, what);
}

void network::cell::lagging(logical_time tag, std::int64_t ns) {
  net.lags.emplace_back(tag, ns);
}

void network::cell::dropped(
  bool trigger, std::uint32_t index, engine::drop_reason why) {
  net.drops.push_back({id, trigger, index, why});
}

// -- constructors, destructors ------------------------------------------------

network::network() {
  // nop
}

network::~network() {
  // nop
}

void network::build(
  const std::vector<node_setup>& nodes, const std::vector<wire>& wires,
  const network_options& options) {
  options_ = options;
  graph_.emplace(make_graph(nodes, wires));
  wiring_
    = graph_->make_wiring([this](auto members, auto& edges, auto& clocked) {
        return std::make_unique<shared_ledger>(
          *this, std::move(members), edges, clocked);
      });
  in_.resize(nodes.size());
  out_.resize(nodes.size());
  channels_.resize(nodes.size() * nodes.size());
  for (std::uint32_t i = 0; i < wires.size(); ++i) {
    auto& x = links_.emplace_back();
    x.what = wires[i];
    x.distance = graph_->connections()[i].distance;
    x.inside = !wires[i].physical
               && graph_->in_same_loop(wires[i].source, wires[i].target);
    if (!x.inside && !wires[i].physical)
      x.received = x.promised = logical_time{};
    in_[wires[i].target].push_back(i);
    out_[wires[i].source].push_back(i);
  }
  for (auto& row : out_)
    std::stable_sort(row.begin(), row.end(), [&](auto x, auto y) {
      return wires[x].output < wires[y].output;
    });
  for (node_id i = 0; i < nodes.size(); ++i) {
    auto& x = *cells_.emplace_back(std::make_unique<cell>(*this, i, nodes[i]));
    engine::node_config config;
    for (auto& port : x.inputs)
      config.inputs.push_back(&port);
    for (auto& port : x.outputs)
      config.outputs.push_back(&port);
    config.realtime = nodes[i].realtime;
    config.lag_warn = nodes[i].lag_warn;
    config.max_in_flight = options_.max_in_flight;
    wiring_.wire(i, config);
    x.node.init(std::move(config), *nodes[i].code, x, this);
  }
}

engine::topology network::make_graph(
  const std::vector<node_setup>& nodes, const std::vector<wire>& wires) {
  std::vector<bool> external;
  for (auto& x : nodes)
    external.push_back(x.external);
  std::vector<engine::connection_spec> specs;
  for (auto& x : wires) {
    auto& target = nodes[x.target];
    auto eager = false;
    for (std::size_t i = 0; i < target.triggers.size(); ++i)
      if (i < target.eager.size() && target.eager[i])
        for (auto port : target.triggers[i])
          eager = eager || port == x.input;
    specs.push_back(
      {x.source, x.output, x.target, x.input, x.distance, x.physical, eager});
  }
  return {std::move(external), std::move(specs), name_of_port};
}

// -- driving ------------------------------------------------------------------

void network::start(node_id id) {
  auto& x = *cells_[id];
  x.started = true;
  x.active = true;
  x.node.start();
  x.active = false;
  schedule(id);
}

engine::node::state network::activate(node_id id, std::size_t budget) {
  auto& x = *cells_[id];
  ++activations;
  x.scheduled = false;
  x.wake_at = engine::node::no_wake;
  x.active = true;
  auto began = clock_;
  auto result = x.node.advance(budget);
  x.active = false;
  switch (result) {
    case engine::node::state::left:
      note_departure(id);
      break;
    case engine::node::state::more:
      schedule(id);
      break;
    case engine::node::state::idle:
      x.wake_at = x.node.wake_at();
      if (x.wake_at <= began)
        broken(id, "wants to be woken at " + std::to_string(x.wake_at)
                     + ", which was past at " + std::to_string(began));
      if (x.wake_at <= clock_)
        schedule(id);
      break;
  }
  return result;
}

bool network::in_transit(node_id from, node_id to) const {
  return !channels_[from * cells_.size() + to].parcels.empty();
}

bool network::deliver(node_id from, node_id to) {
  auto& path = channel_of(from, to);
  if (path.parcels.empty())
    return false;
  auto batch = std::move(path.parcels[path.served++]);
  if (path.served == path.parcels.size()) {
    path.parcels.clear();
    path.served = 0;
  }
  auto& x = *cells_[to];
  if (batch.empty())
    schedule(to);
  else if (!x.left)
    std::move(batch.begin(), batch.end(), std::back_inserter(x.inbox));
  return true;
}

void network::deliver_all(node_id from, node_id to) {
  while (deliver(from, to))
    ; // nop
}

void network::ask_shutdown(node_id id, logical_time proposal) {
  auto& x = *cells_[id];
  if (x.left)
    return;
  x.requested = proposal;
  x.active = true;
  x.node.ask_shutdown(proposal);
  x.active = false;
  schedule(id);
}

void network::take_final(node_id id, logical_time final,
                         logical_time requested) {
  auto& x = *cells_[id];
  if (x.left)
    return;
  x.requested = requested;
  x.final = final;
  x.active = true;
  x.node.take_final(final, requested);
  x.active = false;
  schedule(id);
}

void network::force(node_id id) {
  auto& x = *cells_[id];
  if (x.left)
    return;
  x.active = true;
  x.node.force();
  x.active = false;
  note_departure(id);
}

// -- from outside -------------------------------------------------------------

bool network::offer(node_id id, envelope&& x) {
  auto& to = *cells_[id];
  if (to.closed || to.left)
    return false;
  to.inbox.push_back(std::move(x));
  schedule(id);
  return true;
}

bool network::call(node_id id, std::uint32_t reaction, std::uint64_t value) {
  return offer(
    id, {envelope::kind::trigger, reaction, never, never, make_value(value)});
}

bool network::inject(node_id id, std::uint32_t input, std::uint64_t value) {
  return offer(
    id, {envelope::kind::injected, input, never, never, make_value(value)});
}

void network::forge(node_id id, envelope x) {
  cells_[id]->inbox.push_back(std::move(x));
  cells_[id]->forged = true;
  schedule(id);
}

// -- the clock ----------------------------------------------------------------

void network::set_clock(std::int64_t ns) {
  clock_ = std::max(clock_, ns);
  for (node_id i = 0; i < cells_.size(); ++i)
    if (cells_[i]->wake_at <= clock_)
      schedule(i);
}

std::int64_t network::next_wake() const {
  auto result = engine::node::no_wake;
  for (auto& x : cells_)
    if (!x->left && !x->vanished)
      result = std::min(result, x->wake_at);
  return result;
}

// -- for subclasses -----------------------------------------------------------

void network::clear() {
  cells_.clear();
}

bool network::holds_back(node_id, node_id) {
  return false;
}

void network::meanwhile() {
  // nop
}

void network::on_channel(node_id, node_id) {
  // nop
}

void network::on_scheduled(node_id) {
  // nop
}

void network::on_left(node_id) {
  // nop
}

void network::on_request(node_id, logical_time, int) {
  // nop
}

void network::on_answer(node_id, logical_time) {
  // nop
}

void network::on_failed(node_id, const engine::failure&) {
  // nop
}

void network::vanish(node_id id) {
  cells_[id]->vanished = true;
}

void network::schedule(node_id id) {
  auto& x = *cells_[id];
  if (x.left || x.vanished || x.scheduled)
    return;
  x.scheduled = true;
  on_scheduled(id);
}

void network::broken(node_id id, const std::string& what) const {
  throw broken_rule("node " + std::to_string(id) + " " + what);
}

// -- implementation -----------------------------------------------------------

void network::post(node_id from, node_id to, std::vector<envelope> batch) {
  auto& receiver = *cells_[to];
  auto is_wake = batch.empty();
  for (auto& x : batch)
    if (x.what == envelope::kind::data) {
      auto& link = links_[in_[to][x.connection]];
      link.promised = std::max(link.promised, x.promise);
    }
  // What is sent within a loop is in the receiver's inbox as soon as the ledger
  // is unlocked. It may learn of it late, though.
  if (!is_wake && (locked_ > 0 || !holds_back(from, to))) {
    if (!receiver.left)
      std::move(batch.begin(), batch.end(), std::back_inserter(receiver.inbox));
    return;
  }
  if (!holds_back(from, to)) {
    schedule(to);
    return;
  }
  auto& path = channel_of(from, to);
  auto was_empty = path.parcels.empty();
  path.parcels.push_back(std::move(batch));
  if (was_empty)
    on_channel(from, to);
}

void network::note_departure(node_id id) {
  auto& x = *cells_[id];
  x.left = true;
  x.scheduled = false;
  x.wake_at = engine::node::no_wake;
  for (auto i : in_[id])
    links_[i].unexecuted.clear();
  if (!x.over)
    broken(id, "left without shutdown()");
  on_left(id);
}

void network::check_arrival(node_id at, const envelope& x) {
  switch (x.what) {
    case envelope::kind::data: {
      auto& link = links_[in_[at][x.connection]];
      if (x.tag < link.received)
        broken(at, "gets a message for " + to_string(x.tag)
                     + " although it was promised " + to_string(link.received));
      if (x.tag <= link.arrived)
        broken(at, "gets a message for " + to_string(x.tag) + " after one for "
                     + to_string(link.arrived));
      link.arrived = x.tag;
      link.received = std::max(link.received, x.promise);
      break;
    }
    case envelope::kind::promise: {
      auto& link = links_[in_[at][x.connection]];
      if (link.inside)
        broken(at, "gets a promise sent alone within a loop");
      if (x.promise <= link.received)
        broken(at, "gets a promise that says nothing new");
      link.received = x.promise;
      break;
    }
    default:
      break;
  }
}

// -- overridden functions of tracer -------------------------------------------

void network::start(node_id node, std::int64_t) {
  auto& x = *cells_[node];
  if (!x.trace.empty())
    broken(node, "starts twice");
  x.trace.push_back({{}, record::kind::start, 0, 0, 0});
}

void network::execute(node_id node, logical_time tag, logical_time stat,
                      std::int64_t elapsed) {
  auto& x = *cells_[node];
  auto at = "executes " + to_string(tag);
  if (tag == forever || tag == never)
    broken(node, at);
  if (!x.tags.empty() && tag <= x.tags.back())
    broken(node, at + " after " + to_string(x.tags.back()));
  if (tag >= stat)
    broken(node, at + " at STAT " + to_string(stat));
  if (x.over)
    broken(node, at + " after shutdown()");
  if (x.final != forever && tag > x.final)
    broken(node, at + " after the final tag " + to_string(x.final));
  if (x.realtime && tag.ns > elapsed && tag <= x.requested)
    broken(node, at + " at " + std::to_string(elapsed));
  for (auto i : out_[node]) {
    auto& link = links_[i];
    if (link.what.physical)
      continue;
    auto due = std::count_if(
      link.unexecuted.begin(), link.unexecuted.end(),
      [tag](auto& y) { return y < tag; });
    if (static_cast<std::uint64_t>(due) >= options_.max_in_flight)
      broken(node, at + " while connection " + std::to_string(i) + " holds "
                     + std::to_string(due) + " messages due before");
  }
  x.tags.push_back(tag);
  ++executed;
}

void network::resume(node_id node, logical_time tag, std::uint32_t reaction) {
  cells_[node]->trace.push_back({tag, record::kind::resume, reaction, 0, 0});
}

void network::input(node_id node, logical_time tag, std::uint32_t port,
                    std::uint32_t connection, const engine::value& content) {
  cells_[node]->trace.push_back(
    {tag, record::kind::input, port, connection, number_in(content)});
  if (connection == injected || links_[connection].what.physical)
    return;
  auto& unexecuted = links_[connection].unexecuted;
  if (unexecuted.empty() || unexecuted.front() != tag)
    broken(node, "executes at " + to_string(tag) + " what connection "
                   + std::to_string(connection) + " does not bring then");
  unexecuted.erase(unexecuted.begin());
}

void network::trigger(node_id node, logical_time tag, std::uint32_t reaction,
                      const engine::value& content) {
  cells_[node]->trace.push_back(
    {tag, record::kind::trigger, reaction, 0, number_in(content)});
}

void network::reaction(node_id node, logical_time tag, std::uint32_t reaction) {
  cells_[node]->trace.push_back({tag, record::kind::reaction, reaction, 0, 0});
}

void network::send(node_id node, logical_time tag, std::uint32_t connection,
                   logical_time arrival, const engine::value& content) {
  sends.push_back({connection, tag, arrival, number_in(content)});
  auto& link = links_[connection];
  if (link.what.source != node)
    broken(node, "sends over somebody else's connection");
  if (link.what.physical) {
    if (arrival != never)
      broken(node, "stamps what it sends over a physical connection");
    return;
  }
  auto expected = saturating_add(tag, link.distance);
  if (expected <= link.last)
    expected = next_microstep(link.last);
  if (arrival != expected)
    broken(node, "sends at " + to_string(tag) + " for " + to_string(arrival)
                   + " instead of " + to_string(expected));
  if (arrival < link.promised)
    broken(node, "sends for " + to_string(arrival) + " although it promised "
                   + to_string(link.promised));
  link.last = arrival;
  if (!cells_[link.what.target]->left)
    link.unexecuted.push_back(arrival);
}

void network::promise(node_id node, std::uint32_t connection,
                      logical_time promise) {
  promises.push_back({connection, promise});
  auto& link = links_[connection];
  if (link.inside || link.what.physical)
    broken(node, "promises alone on connection " + std::to_string(connection));
  if (promise <= link.promised)
    broken(node, "repeats a promise");
  link.promised = promise;
}

void network::drop(node_id node, bool trigger, std::uint32_t index,
                   engine::drop_reason) {
  auto& x = *cells_[node];
  if (!trigger && index >= x.inputs.size())
    broken(node, "drops a value for input " + std::to_string(index)
                   + ", which it does not have");
}

void network::asked(node_id node, logical_time) {
  if (cells_[node]->over)
    broken(node, "is asked after shutdown()");
}

void network::answer(node_id node, logical_time tag) {
  auto& x = *cells_[node];
  auto logical = x.tags.empty() ? logical_time{} : x.tags.back();
  if (tag != std::max(logical, x.requested))
    broken(node, "answers " + to_string(tag));
}

void network::final_taken(node_id node, logical_time tag) {
  auto& x = *cells_[node];
  if (!x.tags.empty() && x.tags.back() > tag)
    broken(node, "learns of the final tag " + to_string(tag) + " at "
                   + to_string(x.tags.back()));
}

void network::error(node_id, const engine::failure&) {
  // nop
}

void network::shutdown(node_id node, logical_time tag, engine::ending) {
  auto& x = *cells_[node];
  if (x.over)
    broken(node, "is shut down twice");
  if (tag != (x.tags.empty() ? logical_time{} : x.tags.back()))
    broken(node, "is shut down at a wrong tag");
  x.over = true;
}

void network::exit(node_id node) {
  if (!cells_[node]->over)
    broken(node, "exits before shutdown()");
}

} // namespace engine_test
