// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "network.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <typeinfo>

namespace engine_test {

using caf::rosia::saturating_add;
using engine::envelope;
using engine::envelope_kind;

namespace {

bool is_bound(const envelope& x) {
  return x.kind == envelope_kind::promise
         || x.kind == envelope_kind::bound_request;
}

std::string name_of_port(node_id node, bool output, std::uint32_t index) {
  using std::to_string;
  return to_string(node) + (output ? ".out" : ".in") + to_string(index);
}

} // namespace

engine::value make_value(std::uint64_t x) {
  return engine::make_value<std::uint64_t>(x);
}

std::uint64_t number_in(const engine::value& x) {
  return x.type() == typeid(engine::mode_event)
           ? x.get<engine::mode_event>().history
           : x.get<std::uint64_t>();
}

// -- loop time tables
// ------------------------------------------------------------------

class network::shared_loop_time_table : public engine::loop_time_table {
public:
  shared_loop_time_table(
    network& net, std::vector<node_id> nodes, const std::vector<edge>& edges,
    const std::vector<bool>& clocked)
    : loop_time_table(
      std::move(nodes), edges, clocked, net.options_.matrix_up_to),
      net_(net) {
    // nop
  }

  shared_loop_time_table(
    network& net, std::vector<node_id> nodes, std::vector<delay> distances,
    const std::vector<bool>& clocked)
    : loop_time_table(std::move(nodes), std::move(distances), clocked),
      net_(net) {
    // nop
  }

  void lock() override {
    if (!net_.loop_time_table_locked())
      net_.meanwhile();
    lock_at_once();
  }

  /// Locks without a disturbance by other nodes.
  void lock_at_once() {
    if (locked_)
      throw broken_rule("a loop time table is locked twice");
    locked_ = true;
    ++net_.locked_;
  }

  void unlock() override {
    if (before_unlock)
      before_unlock();
    locked_ = false;
    --net_.locked_;
  }

  bool locked() const noexcept {
    return locked_;
  }

  std::function<void()> before_unlock;

private:
  network& net_;
  bool locked_ = false;
};

/// A loop before it is divided among processes.
struct network::whole_loop {
  shared_loop_time_table* loop_time_table;
  std::vector<engine::loop_time_table::edge> edges;
  std::vector<bool> clocked;
};

struct network::loop_share {
  loop_share(network& net, engine::process_id self, const whole_loop& loop,
             const std::vector<engine::process_id>& homes,
             const std::vector<engine::remote_loop_table::crossing>& crossings)
    : process(self),
      loop_time_table(
        net, loop.loop_time_table->nodes(), loop.edges, loop.clocked),
      view(loop_time_table, self, homes, crossings) {
    for (std::size_t i = 0; i < homes.size(); ++i)
      first_of.try_emplace(homes[i], loop_time_table.nodes()[i]);
    loop_time_table.before_unlock = [this, &net] { net.post_letters(*this); };
  }

  engine::loop_time_table::member member_of(node_id id) const {
    auto& nodes = loop_time_table.nodes();
    return static_cast<engine::loop_time_table::member>(
      std::find(nodes.begin(), nodes.end(), id) - nodes.begin());
  }

  /// A message to another process, together with new entries.
  struct letter {
    node_id from;
    node_id to;
    std::vector<envelope> batch;
  };

  engine::process_id process;
  shared_loop_time_table loop_time_table;
  engine::remote_loop_table view;
  std::vector<letter> letters; // sent when the loop time table is unlocked
  std::map<engine::process_id, node_id> first_of; // its first member
};

// -- the host -----------------------------------------------------------------

network::cell::cell(network& owner, node_id number, const node_setup& setup)
  : net(owner), id(number), inputs(setup.inputs), outputs(setup.outputs),
    actions(setup.actions + setup.watchdogs.size() + setup.modes),
    realtime(setup.realtime) {
  for (std::uint32_t i = 0; i < setup.triggers.size(); ++i)
    for (auto port : setup.triggers[i])
      inputs[port].reactions.push_back(i);
  for (std::uint32_t i = 0; i < setup.acts.size(); ++i)
    for (auto action : setup.acts[i])
      actions[action].reactions.push_back(i);
  auto next = setup.actions;
  for (auto timeout : setup.watchdogs) {
    node.add_watchdog(actions[next], next, timeout, setup.has_handlers);
    ++next;
  }
  if (setup.modes == 0)
    return;
  auto& modes = node.make_modes();
  for (; next < actions.size(); ++next)
    modes.add(actions[next], next);
  node.restore(actions[next - setup.modes], next - setup.modes, {},
               engine::make_value<engine::mode_event>());
  scheduled.emplace(logical_time{}, std::pair{next - setup.modes, 0});
  for (std::uint32_t i = 0; i < setup.action_modes.size(); ++i)
    if (setup.action_modes[i] != no_mode)
      modes.add_action(actions[i], i, setup.action_modes[i]);
  for (std::uint32_t i = 0; i < setup.reaction_modes.size(); ++i) {
    if (setup.reaction_modes[i] == no_mode)
      continue;
    modes.add_reaction(i, setup.reaction_modes[i]);
    if (i < setup.acts.size())
      for (auto action : setup.acts[i])
        modes.add_trigger(actions[action]);
  }
}

std::int64_t network::cell::elapsed() {
  net.meanwhile();
  return net.clock_;
}

std::int64_t network::cell::coarse_elapsed(bool) {
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
  ++net.batches;
  if (batch.empty())
    net.broken(id, "sends nothing");
  for (auto& x : batch)
    if (x.kind == envelope_kind::bound_request)
      net.asks.push_back({net.out_[receiver][x.connection], x.tag});
  if (net.in_channel(id, receiver)) {
    auto first = std::stable_partition(batch.begin(), batch.end(), [](auto& x) {
      return !is_bound(x);
    });
    sent_bounds = first == batch.begin();
    std::vector<envelope> bounds(first, batch.end());
    batch.erase(first, batch.end());
    if (!bounds.empty())
      net.post_bounds(id, receiver, std::move(bounds));
    if (batch.empty())
      return;
  }
  net.post(id, receiver, std::exchange(batch, {}));
}

void network::cell::wake(node_id target) {
  net.meanwhile();
  ++net.wakes;
  if (!std::exchange(sent_bounds, false))
    net.post(id, target, {});
}

void network::cell::close() {
  closed = true;
}

void network::cell::request(logical_time proposal, int status) {
  net.requests.push_back({id, proposal, status});
  net.on_report(id, {report::kind::request, proposal, status, {}});
}

void network::cell::answer(logical_time tag) {
  net.answers.emplace_back(id, tag);
  net.on_report(id, {report::kind::answer, tag, 0, {}});
}

void network::cell::done(logical_time last) {
  net.on_report(id, {report::kind::done, last, 0, {}});
}

void network::cell::answer_checkpoint(logical_time tag) {
  net.checkpoint_answers.emplace_back(id, tag);
  net.on_report(id, {report::kind::checkpoint, tag, 0, {}});
}

void network::cell::save(engine::saved_node part) {
  if (part.logical != node.logical() || part.until <= part.logical)
    net.broken(id, "saves at a wrong tag");
  ++net.saved;
  auto& x = parts.emplace_back();
  x.kept = std::move(part);
  if (auto* queue = node.events().scheduled())
    x.scheduled = queue->list();
  for (auto& action : actions)
    x.last_events.push_back(
      action.spacing_state
        ? action.spacing_state->last_present(node.logical())
        : never);
  if (auto* all = node.watchdogs())
    for (auto& dog : *all)
      if (dog.runs())
        x.watchdogs.emplace_back(dog.index, dog.expiry_tag().ns);
  for (auto [due, action] : expired)
    x.expired.emplace_back(action, due);
  if (auto* all = node.modes())
    for (std::uint32_t i = 0; i < all->size(); ++i) {
      auto& mode = (*all)[i];
      x.modes.push_back({i == all->active(), mode.was_active, mode.by_history,
                         mode.entries.value(), mode.events});
    }
  if (net.options_.traces && x.scheduled.size() != scheduled.size())
    net.broken(id, "does not save what it scheduled");
  net.on_saved(id);
}

void network::cell::failed(const engine::failure& failure) {
  net.failures.emplace_back(id, failure);
  net.on_report(id, {report::kind::failed, never, 0, {}});
}

void network::cell::shutdown_failed(const engine::failure& failure) {
  net.shutdown_failures.emplace_back(id, failure);
}

void network::cell::lagging(logical_time tag, std::int64_t ns, bool ended) {
  (ended ? net.lags_at_end : net.lags).emplace_back(tag, ns);
}

void network::cell::unexecuted(node_id receiver, std::size_t values) {
  net.beyond_final[receiver] += values;
}

void network::cell::dropped(engine::drop_reason) {
  // `drop` records it.
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
  share_of_.resize(nodes.size());
  std::vector<whole_loop> loops;
  wiring_ = graph_->make_wiring([&](auto members, auto& edges, auto& clocked) {
    auto result = std::make_unique<shared_loop_time_table>(
      *this, std::move(members), edges, clocked);
    loops.push_back({result.get(), edges, clocked});
    return result;
  });
  in_.resize(nodes.size());
  out_.resize(nodes.size());
  channels_.resize(nodes.size() * nodes.size());
  for (std::uint32_t i = 0; i < wires.size(); ++i) {
    auto& x = links_.emplace_back();
    x.spec = wires[i];
    x.distance = graph_->connections()[i].distance;
    x.intra_loop = !wires[i].physical
                   && graph_->in_same_loop(wires[i].source, wires[i].target);
    if (!x.intra_loop && !wires[i].physical)
      x.received = x.promised = logical_time{};
    in_[wires[i].target].push_back(i);
    out_[wires[i].source].push_back(i);
  }
  for (auto& row : out_)
    std::stable_sort(row.begin(), row.end(), [&](auto x, auto y) {
      return wires[x].output < wires[y].output;
    });
  for (auto& x : loops)
    split(x);
  for (node_id i = 0; i < nodes.size(); ++i) {
    auto& x = *cells_.emplace_back(std::make_unique<cell>(*this, i, nodes[i]));
    engine::initial_config config;
    for (auto& port : x.inputs)
      x.input_states.push_back(&port);
    for (auto& port : x.outputs)
      x.output_states.push_back(&port);
    config.inputs = x.input_states;
    config.outputs = x.output_states;
    config.realtime = nodes[i].realtime;
    config.lag_warn = nodes[i].lag_warn.value_or(engine::no_lag_warning);
    config.max_in_flight = options_.max_in_flight;
    config.replayed = options_.replays;
    config.stamps = options_.stamps;
    wiring_.wire(i, config);
    if (auto* share = share_of_[i])
      config.loop_time_table = &share->loop_time_table;
    for (auto& c : config.in)
      if (auto& link = links_[c.number]; c.intra_loop && apart(c.source, i)) {
        link.near_end = c.shared;
        link.far_end = std::make_unique<engine::link>();
        c.shared = link.far_end.get();
      }
    for (auto& c : config.out)
      c.remote = c.intra_loop && apart(i, config.peers[c.peer]);
    for (std::size_t j = 0; j < nodes[i].spacings.size(); ++j)
      if (auto& spacing = nodes[i].spacings[j])
        x.actions[j].spacing_state = &x.spacings.emplace_front(*spacing);
    for (auto& action : nodes[i].spaced)
      x.node.add(action);
    if (!nodes[i].lead.is_zero())
      x.node.set_lead(nodes[i].lead);
    x.node.init(
      std::move(config), *nodes[i].code, x, options_.traces ? this : nullptr);
  }
  is_inseparable_.resize(nodes.size());
  for (auto& loop : graph_->inseparable_loops())
    for (auto id : loop)
      is_inseparable_[id] = true;
}

namespace {

caf::rosia::graph_description::node describe(const node_setup& x, node_id id) {
  caf::rosia::graph_description::node result;
  result.name = std::to_string(id);
  for (std::size_t i = 0; i < x.triggers.size(); ++i) {
    auto& added = result.reactions.emplace_back();
    added.name = "r" + std::to_string(i);
    for (auto port : x.triggers[i])
      added.triggers.push_back(
        {caf::rosia::graph_description::trigger_kind::input, port});
    if (std::find(x.at_shutdown.begin(), x.at_shutdown.end(), i)
        != x.at_shutdown.end())
      added.triggers.push_back(
        {caf::rosia::graph_description::trigger_kind::at_shutdown, 0});
    if (i < x.reaction_modes.size())
      added.mode = x.reaction_modes[i];
    if (x.accesses.empty())
      continue;
    auto& ports = x.accesses[i];
    added.declares = ports.declared;
    added.reads = ports.reads;
    added.writes = ports.writes;
    added.writes_later = ports.writes_later;
  }
  return result;
}

} // namespace

engine::topology network::make_graph(
  const std::vector<node_setup>& nodes, const std::vector<wire>& wires) {
  std::vector<bool> external;
  std::vector<bool> at_shutdown;
  for (auto& x : nodes) {
    external.push_back(x.external);
    at_shutdown.push_back(!x.at_shutdown.empty());
  }
  std::vector<engine::connection_spec> specs;
  for (auto& x : wires) {
    auto& target = nodes[x.target];
    auto eager = false;
    for (std::size_t i = 0; i < target.triggers.size(); ++i)
      if (i < target.eager.size() && target.eager[i])
        for (auto port : target.triggers[i])
          eager = eager || port == x.input;
    specs.push_back(
      {x.source, x.output, x.target, x.input, x.distance, x.physical, eager,
       true, true, x.keep_latest, false, x.max_wait});
  }
  engine::topology::describer describer;
  if (std::any_of(nodes.begin(), nodes.end(), [](auto& x) {
        return !x.accesses.empty();
      }))
    describer = [&nodes](auto id) { return describe(nodes[id], id); };
  engine::topology result{
    std::move(external), std::move(specs), name_of_port, describer};
  result.find_last_tag(at_shutdown);
  return result;
}

// -- checkpoints --------------------------------------------------------------

void network::take_checkpoints(std::int64_t period, logical_time after) {
  for (auto& x : cells_)
    x->node.take_checkpoints(period, after);
}

void network::restore(logical_time tag, const std::vector<node_part>& parts) {
  for (node_id i = 0; i < cells_.size(); ++i) {
    auto part = parts[i];
    if (!part.covers(tag))
      broken(i, "has no part of the checkpoint at " + to_string(tag));
    if (!part.kept.yielded.empty())
      broken(i, "cannot be saved, because of " + part.kept.yielded);
    for (auto& x : part.kept.channels) {
      auto& to = parts[links_[x.connection].spec.target].kept;
      std::erase_if(x.in_transit, [&](auto& message) {
        return message.tag <= tag || to.left;
      });
      restore_in_transit(tag, x);
    }
    // The request that ended the run is not repeated.
    if (part.kept.requested <= tag)
      part.kept.requested = forever;
    restore(i, part);
  }
  move_clock(tag.ns + 1);
}

void network::restore(node_id id, const node_part& from) {
  auto& x = *cells_[id];
  x.restored = true;
  x.had_left = from.kept.left;
  x.requests_again = from.kept.requested;
  x.status_again = from.kept.requested_status;
  x.tags = {from.kept.logical};
  x.node.restore(from.kept);
  for (std::size_t i = 0; i < from.last_events.size(); ++i)
    if (auto tag = from.last_events[i]; tag != never)
      x.actions[i].spacing_state->restore(tag);
  if (!from.modes.empty())
    x.scheduled.clear();
  for (std::uint32_t i = 0; i < from.modes.size(); ++i) {
    auto& mode = from.modes[i];
    x.node.restore_mode(
      i, mode.is_active, mode.was_active, mode.by_history, mode.entries);
    if (mode.is_active)
      x.active_mode = i;
    for (auto& [distance, event] : mode.events) {
      x.suspended_in[i].push_back(
        {distance, event.index, number_in(event.content)});
      x.node.modes()->suspend(
        x.actions[event.index], event.index, distance, event.content);
    }
  }
  for (auto& event : from.scheduled) {
    if (auto* all = x.node.modes())
      if (auto mode = all->find(event.index); mode != no_mode)
        all->restore_request(
          mode, event.content.get<engine::mode_event>().history, event.tag);
    x.scheduled.emplace(
      event.tag, std::pair{event.index, number_in(event.content)});
    x.node.restore(
      x.actions[event.index], event.index, event.tag, event.content);
  }
  for (auto [action, expiry] : from.watchdogs)
    x.node.restore_watchdog(action, expiry);
  for (auto [action, due] : from.expired) {
    x.expired.emplace(due, action);
    x.node.restore_expiry(action, due);
  }
}

void network::restore_in_transit(
  logical_time tag, const engine::saved_node::channel& from) {
  auto& link = links_[from.connection];
  link.last = from.last_arrival;
  auto& in = in_[link.spec.target];
  auto index = std::find(in.begin(), in.end(), from.connection) - in.begin();
  for (auto& message : from.in_transit) {
    if (message.tag <= tag || message.tag > link.last)
      broken(link.spec.source, "has in transit what it has not sent");
    link.unexecuted.push_back(message.tag);
    at(link.spec.target).restore(static_cast<std::uint32_t>(index), message);
    // The sender counts it, and requests an ack.
    ++link.taken_in;
  }
  link.ack_request = link.taken_in;
}

void network::ask_checkpoint(node_id id) {
  auto& x = *cells_[id];
  if (x.left)
    return;
  x.active = true;
  x.node.ask_checkpoint();
  x.active = false;
  schedule(id);
}

void network::take_checkpoint(node_id id, logical_time tag) {
  auto& x = *cells_[id];
  if (x.left)
    return;
  x.active = true;
  x.node.take_checkpoint(tag);
  x.active = false;
  schedule(id);
}

// -- driving ------------------------------------------------------------------

void network::start(node_id id) {
  join_loops();
  auto& x = *cells_[id];
  x.started = true;
  x.active = true;
  if (x.requests_again != forever)
    x.request(x.requests_again, x.status_again);
  x.node.start();
  x.active = false;
  schedule(id);
  tell_others({&id, 1});
}

engine::node::state network::activate(node_id id, std::size_t budget) {
  ++activations;
  ++calls_;
  auto members = group_of(id);
  for (auto i : members) {
    auto& x = *cells_[i];
    x.is_scheduled = false;
    x.wake_at = engine::node::no_wake;
    x.active = true;
  }
  auto began = clock_;
  auto* group = at(id).group();
  auto& timer = cells_[members.front()]->hand_over;
  timer.begin_call(clock_, members.size());
  auto result
    = group != nullptr
        ? group->advance(budget, timer)
        : at(id).advance(budget, timer);
  timer.end_call(clock_);
  for (auto i : members)
    cells_[i]->active = false;
  if (result == engine::node::state::more)
    for (auto i : members)
      if (!at(i).left()) {
        schedule(i);
        break;
      }
  for (auto i : members) {
    auto& x = *cells_[i];
    if (x.node.left()) {
      if (!x.left)
        note_departure(i);
    } else if (result == engine::node::state::idle) {
      x.wake_at = x.node.wake_at();
      if (x.wake_at <= began)
        broken(i, "wants to be woken at " + std::to_string(x.wake_at)
                    + ", which was past at " + std::to_string(began));
      if (x.wake_at <= clock_)
        schedule(i);
    }
  }
  tell_others(members);
  if (--calls_ == 0)
    split_newcomers();
  return at(id).left() ? engine::node::state::left : result;
}

std::vector<node_id> network::loop_of(node_id id) const {
  std::vector<node_id> result;
  for (node_id i = 0; i < size(); ++i)
    if (i == id || graph_->in_same_loop(i, id))
      result.push_back(i);
  return result;
}

bool network::divide(node_id id, std::size_t parts) {
  auto all = group_of(id);
  auto division = at(id).group()->find_division(parts);
  if (!division)
    return false;
  std::vector<engine::group*> others;
  while (others.size() + 1 < division->parts())
    others.push_back(
      groups_.emplace_back(std::make_unique<engine::group>()).get());
  regroup(all, [&] {
    at(id).group()->divide(
      *division,
      others, [&](auto nodes, auto distances, auto& clocked) -> auto& {
        return *tables_of_parts_.emplace_back(
          std::make_unique<shared_loop_time_table>(
            *this, std::move(nodes), std::move(distances), clocked));
      });
  });
  return true;
}

template <class Fun>
void network::regroup(const std::vector<node_id>& members, Fun&& change) {
  for (auto i : members)
    cells_[i]->active = true;
  change();
  for (auto i : members) {
    cells_[i]->active = false;
    schedule(i);
  }
}

void network::join_loops() {
  if (std::exchange(joined_loops_, true))
    return;
  for (auto& loop : graph_->inseparable_loops()) {
    std::vector<engine::node*> members;
    for (auto i : loop) {
      members.push_back(&at(i));
      for (auto j : loop)
        deliver_all(i, j);
    }
    regroup(loop, [&] { new_group().add(members); });
  }
}

void network::fuse(node_id x, node_id y, bool newcomer) {
  auto all = group_of(x);
  auto others = group_of(y);
  all.insert(all.end(), others.begin(), others.end());
  for (auto i : all)
    for (auto j : all)
      deliver_all(i, j);
  regroup(all, [&] {
    auto& into = make_group(x);
    if (auto* from = at(y).group())
      into.fuse({&from, 1});
    else
      add(y, into);
    if (newcomer)
      into.add_newcomers(std::array{&at(y)});
  });
}

void network::split_newcomers() {
  std::vector<node_id> leaving;
  for (auto& group : groups_)
    for (auto* x : group->due_newcomers())
      leaving.push_back(x->id());
  for (auto id : leaving)
    split({id});
}

void network::split(const std::vector<node_id>& leaving) {
  auto all = group_of(leaving.front());
  std::vector<engine::node*> nodes;
  for (auto i : leaving)
    nodes.push_back(&at(i));
  regroup(all, [&] {
    // Each to its own group, or all to one.
    auto count = leaving.front() % 2 == 0 ? 1 : nodes.size();
    std::vector<engine::group*> apart;
    for (std::size_t i = 0; i < nodes.size(); ++i)
      apart.push_back(i < count ? &new_group() : apart.back());
    nodes.front()->group()->split(nodes, apart);
  });
}

std::vector<node_id> network::group_of(node_id id) const {
  auto* group = at(id).group();
  if (group == nullptr)
    return {id};
  std::vector<node_id> result;
  for (std::size_t i = 0; i < group->size(); ++i)
    result.push_back(group->member(i).id());
  return result;
}

void network::add(node_id id, engine::group& to) {
  engine::node* joining[] = {&at(id)};
  to.add(joining);
  if (vanished(id))
    to.abandon(at(id));
}

engine::group& network::make_group(node_id id) {
  if (auto* group = at(id).group())
    return *group;
  auto& result = new_group();
  add(id, result);
  return result;
}

engine::group& network::new_group() {
  for (auto& x : groups_)
    if (x->size() == 0 && !x->is_part())
      return *x;
  return *groups_.emplace_back(std::make_unique<engine::group>());
}

bool network::in_transit(node_id from, node_id to) const {
  return !channels_[from * cells_.size() + to].frames.empty();
}

bool network::deliver(node_id from, node_id to) {
  auto& path = channel_of(from, to);
  if (path.frames.empty())
    return false;
  auto frame = std::move(path.frames[path.served++]);
  if (path.served == path.frames.size()) {
    path.frames.clear();
    path.served = 0;
  }
  if (frame.is_wake())
    schedule(to);
  else if (frame.has_bounds)
    take_in_bounds(to, std::move(frame));
  else
    take_in(to, std::move(frame));
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

void network::abort(node_id id) {
  auto& x = *cells_[id];
  if (x.left)
    return;
  x.active = true;
  x.node.abort();
  x.active = false;
  note_departure(id);
  tell_others({&id, 1});
}

void network::inform(node_id id, const notice& x) {
  switch (x.type) {
    case notice::kind::ask:
      ask_shutdown(id, x.tag);
      break;
    case notice::kind::final:
      take_final(id, x.tag, x.requested);
      break;
    case notice::kind::abort:
      abort(id);
      break;
    case notice::kind::ask_checkpoint:
      ask_checkpoint(id);
      break;
    case notice::kind::take_checkpoint:
      take_checkpoint(id, x.tag);
      break;
  }
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

bool network::call(node_id id, std::uint32_t input, std::uint64_t value) {
  return offer(
    id, {.kind = envelope_kind::action,
         .connection = input,
         .content = make_value(value)});
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

void network::on_report(node_id, const report&) {
  // nop
}

void network::on_saved(node_id) {
  // nop
}

void network::vanish(node_id id) {
  cells_[id]->vanished = true;
  if (auto* group = at(id).group())
    group->abandon(at(id));
  on_report(id, {report::kind::vanished, never, 0, {}});
}

void network::schedule(node_id id) {
  auto& x = *cells_[id];
  if (x.left || x.vanished || x.is_scheduled)
    return;
  x.is_scheduled = true;
  on_scheduled(id);
}

void network::broken(node_id id, const std::string& problem) const {
  throw broken_rule("node " + std::to_string(id) + " " + problem);
}

// -- implementation -----------------------------------------------------------

void network::post(node_id from, node_id to, std::vector<envelope> batch) {
  auto is_wake = batch.empty();
  for (auto& x : batch)
    if (x.kind == envelope_kind::data) {
      auto& link = links_[in_[to][x.connection]];
      link.promised = std::max(link.promised, x.promise);
    }
  if (apart(from, to)) {
    // In another process, only messages wake a node.
    if (!is_wake)
      send_apart(from, to, std::move(batch));
    return;
  }
  // A message within a loop is in the receiver's inbox as soon as the loop time
  // table is unlocked. The wake may still be late.
  if (!is_wake && (locked_ > 0 || !holds_back(from, to))) {
    take_in(to, {std::move(batch), {}, {}});
    return;
  }
  if (!holds_back(from, to))
    schedule(to);
  else
    put(from, to, {std::move(batch), {}, {}});
}

void network::post_bounds(node_id from, node_id to,
                          std::vector<envelope> batch) {
  value_frame frame{std::move(batch), {}, {}, true};
  if (holds_back(from, to))
    put(from, to, std::move(frame));
  else
    take_in_bounds(to, std::move(frame));
}

void network::take_in_bounds(node_id to, value_frame frame) {
  auto& x = *cells_[to];
  auto* group = x.node.group();
  auto awaits
    = x.active || frame.batch.front().kind != envelope_kind::promise
      || (group != nullptr ? group->awaits_promises()
                           : x.node.awaits_promises());
  take_in(to, std::move(frame));
  if (awaits)
    schedule(to);
}

void network::put(node_id from, node_id to, value_frame x) {
  auto& path = channel_of(from, to);
  auto was_empty = path.frames.empty();
  auto at = path.frames.end();
  if (!was_empty && !x.has_bounds && path.frames.back().has_bounds)
    --at;
  path.frames.insert(at, std::move(x));
  if (was_empty)
    on_channel(from, to);
}

void network::take_in(node_id to, value_frame frame) {
  auto& x = *cells_[to];
  if (frame.ack) {
    auto& link = *links_[frame.ack->connection].near_end;
    link.executed = frame.ack->executed;
    link.gone = frame.ack->gone;
    if (link.sender_waits.exchange(false))
      schedule(to);
    return;
  }
  auto put_into_inbox = [&] {
    if (!x.left)
      std::move(
        frame.batch.begin(), frame.batch.end(), std::back_inserter(x.inbox));
  };
  if (!frame.view) {
    put_into_inbox();
    return;
  }
  auto& share = *share_of_[to];
  std::vector<node_id> woken;
  share.loop_time_table.lock_at_once();
  for (auto& y : frame.batch)
    if (y.kind == envelope_kind::data) {
      auto number = in_[to][y.connection];
      if (!x.left)
        share.loop_time_table.in_transit(share.member_of(to), y.tag);
      share.view.received(number);
      auto& link = links_[number];
      ++link.taken_in;
      if (y.ack_request)
        link.ack_request = link.taken_in;
    }
  if (!frame.batch.empty())
    woken.push_back(to);
  put_into_inbox();
  if (!share.view.merge(*frame.view, woken))
    broken(to, "gets a view that cannot be true");
  share.loop_time_table.unlock();
  // A woken member informs other processes after its execution. Without one,
  // inform them now.
  auto is_any = false;
  for (auto id : woken)
    if (process_of(id) == share.process) {
      schedule(id);
      is_any = is_any || scheduled(id);
    }
  if (!is_any)
    tell_others(share);
}

// -- loops over processes -----------------------------------------------------

void network::split(const whole_loop& x) {
  auto& members = x.loop_time_table->nodes();
  std::vector<engine::process_id> homes;
  std::map<node_id, engine::loop_time_table::member> member_of;
  for (auto id : members) {
    member_of.emplace(
      id, static_cast<engine::loop_time_table::member>(homes.size()));
    homes.push_back(process_of(id));
  }
  std::vector<engine::remote_loop_table::crossing> crossings;
  for (std::uint32_t i = 0; i < links_.size(); ++i) {
    auto& spec = links_[i].spec;
    if (links_[i].intra_loop && member_of.contains(spec.source)
        && process_of(spec.source) != process_of(spec.target))
      crossings.push_back({i, member_of[spec.source], member_of[spec.target]});
  }
  if (crossings.empty())
    return;
  for (auto self : std::set(homes.begin(), homes.end())) {
    auto& share = *shares_.emplace_back(
      std::make_unique<loop_share>(*this, self, x, homes, crossings));
    for (auto id : members)
      if (process_of(id) == self)
        share_of_[id] = &share;
  }
}

bool network::apart(node_id x, node_id y) const {
  return process_of(x) != process_of(y) && graph_->in_same_loop(x, y);
}

void network::send_apart(node_id from, node_id to,
                         std::vector<envelope> batch) {
  auto& share = *share_of_[from];
  for (auto& x : batch)
    if (x.kind == envelope_kind::data) {
      share.view.sent(in_[to][x.connection]);
      ++crossed;
    }
  share.letters.push_back({from, to, std::move(batch)});
  if (!share.loop_time_table.locked())
    post_letters(share);
}

void network::post_letters(loop_share& x) {
  // A view must count all messages sent before.
  for (auto& letter : std::exchange(x.letters, {}))
    put(letter.from, letter.to,
        {std::move(letter.batch), x.view.news_for(process_of(letter.to)), {}});
}

void network::tell_others(std::span<const node_id> nodes) {
  std::vector<loop_share*> shares;
  for (auto id : nodes)
    if (auto* share = share_of_[id]) {
      send_acks(id);
      if (std::find(shares.begin(), shares.end(), share) == shares.end())
        shares.push_back(share);
    }
  for (auto* share : shares)
    tell_others(*share);
}

void network::send_acks(node_id id) {
  // A sender in another process that may be waiting must be informed.
  auto enough = engine::ack_distance(options_.max_in_flight);
  for (auto i : in_[id]) {
    auto& x = links_[i];
    if (x.far_end == nullptr)
      continue;
    auto done = x.far_end->executed.load();
    // The unsent messages of an aborted node are lost, so its silence is no
    // promise.
    auto gone = cells_[id]->left
                && cells_[id]->node.outcome() != engine::ending::aborted;
    if ((x.acked >= x.ack_request || done < x.acked + enough) && !gone)
      continue;
    x.acked = done;
    lone_counts += !gone;
    put(id, x.spec.source, {{}, {}, link_ack{i, done, gone}});
  }
}

void network::tell_others(loop_share& x) {
  std::vector<node_id> woken;
  x.loop_time_table.lock_at_once();
  x.view.refresh(woken);
  for (auto other : x.view.receivers())
    if (x.view.owes(other)) {
      ++lone_views;
      put(x.first_of[x.process], x.first_of[other],
          {{}, x.view.news_for(other), {}});
    }
  x.loop_time_table.unlock();
  for (auto id : woken)
    if (process_of(id) == x.process)
      schedule(id);
}

void network::note_departure(node_id id) {
  auto& x = *cells_[id];
  x.left = true;
  x.is_scheduled = false;
  x.wake_at = engine::node::no_wake;
  for (auto i : in_[id])
    links_[i].unexecuted.clear();
  if (!x.over && options_.traces)
    broken(id, "left without shutdown()");
  on_report(
    id, {report::kind::exit, at(id).last_before_end(), 0, at(id).outcome()});
}

void network::check_arrival(node_id at, const envelope& x) {
  switch (x.kind) {
    case envelope_kind::data: {
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
    case envelope_kind::promise: {
      auto& link = links_[in_[at][x.connection]];
      if (link.intra_loop)
        broken(at, "gets a null message within a loop");
      if (x.promise <= link.received
          && !in_channel(link.spec.source, link.spec.target))
        broken(at, "gets a promise that says nothing new");
      link.received = std::max(link.received, x.promise);
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
  if (x.restored)
    return;
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
  if (x.is_done)
    broken(node, at + " although it is done");
  if (x.had_left)
    broken(node, at + " although it had left");
  if (!x.parts.empty() && tag < x.parts.back().kept.until)
    broken(node, at + " although it saved what holds below "
                   + to_string(x.parts.back().kept.until));
  if (x.final != forever && tag > x.final)
    broken(node, at + " after the final tag " + to_string(x.final));
  if (x.realtime && tag.ns > elapsed && tag <= x.requested)
    broken(node, at + " at " + std::to_string(elapsed));
  for (auto i : out_[node]) {
    auto& link = links_[i];
    // A node that is leaving may wait for a lock between the two. A tardy value
    // is acked before earlier ones, of which the sender knows the number only.
    if (link.spec.physical || link.spec.max_wait >= 0
        || wiring_.link_of(i).gone.load())
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

void network::execute_last(node_id node, logical_time tag, std::int64_t) {
  auto& x = *cells_[node];
  auto at = "executes the last tag " + to_string(tag);
  if (x.final == forever || tag != next_microstep(x.final))
    broken(node, at + " although the final tag is " + to_string(x.final));
  if (x.over || x.at_last)
    broken(node, at + " after its end");
  if (x.had_left)
    broken(node, at + " although it had left");
  for (auto i : in_[node]) {
    auto& link = links_[i];
    auto& sender = *cells_[link.spec.source];
    if (!link.spec.physical && link.distance.is_zero() && !sender.over
        && !in_instant_loop(link.spec.source, node))
      broken(node, at + " before node " + std::to_string(link.spec.source));
    if (!link.unexecuted.empty() && link.unexecuted.front() <= x.final)
      broken(node, at + " without what connection " + std::to_string(i)
                     + " brought before");
  }
  x.at_last = true;
  x.tags.push_back(tag);
  ++executed;
}

void network::done(node_id node, logical_time tag) {
  auto& x = *cells_[node];
  if (x.is_done || x.over || x.final != forever)
    broken(node, "is done twice, or too late");
  if (tag != (x.tags.empty() ? logical_time{} : x.tags.back()))
    broken(node, "is done at a wrong tag");
  x.is_done = true;
}

void network::resume(node_id node, logical_time tag, std::uint32_t reaction) {
  cells_[node]->trace.push_back({tag, record::kind::resume, reaction, 0, 0});
}

void network::input(node_id node, logical_time tag, std::uint32_t port,
                    std::uint32_t connection, const engine::value& content) {
  cells_[node]->trace.push_back(
    {tag, record::kind::input, port, connection, number_in(content)});
  if (connection == no_connection || links_[connection].spec.physical)
    return;
  auto& tardy = links_[connection].tardy;
  if (!tardy.empty() && tardy.front() <= tag) {
    if (tardy.front() != tag)
      broken(node, "passes the tardy value for " + to_string(tardy.front()));
    tardy.erase(tardy.begin());
    return;
  }
  auto& unexecuted = links_[connection].unexecuted;
  if (unexecuted.empty() || unexecuted.front() != tag)
    broken(node, "executes at " + to_string(tag) + " what connection "
                   + std::to_string(connection) + " does not bring then");
  unexecuted.erase(unexecuted.begin());
}

void network::schedule(node_id node, logical_time tag, std::uint32_t action,
                       logical_time due, const engine::value& content) {
  if (due <= tag || due == forever)
    broken(node, "schedules at " + to_string(tag) + " for " + to_string(due));
  auto& x = *cells_[node];
  if (x.over)
    broken(node, "schedules after shutdown()");
  x.scheduled.emplace(due, std::pair{action, number_in(content)});
}

void network::withdraw(node_id node, logical_time tag, std::uint32_t action,
                       logical_time due) {
  auto& x = *cells_[node];
  auto [first, last] = x.scheduled.equal_range(due);
  auto found = std::find_if(first, last, [action](auto& event) {
    return event.second.first == action;
  });
  if (found == last || due <= tag)
    broken(node, "withdraws at " + to_string(tag) + " what is not pending");
  x.scheduled.erase(found);
}

void network::action(node_id node, logical_time tag, std::uint32_t action,
                     const engine::value& content) {
  auto& x = *cells_[node];
  if (auto expiry = x.expired.find(tag);
      expiry != x.expired.end() && expiry->second == action) {
    x.expired.erase(expiry);
    x.trace.push_back({tag, record::kind::action, action, 0, 0});
    return;
  }
  auto next = x.scheduled.begin();
  auto value = number_in(content);
  if (next == x.scheduled.end() || next->first != tag
      || next->second != std::pair{action, value})
    broken(node, "has at " + to_string(tag)
                   + " what is not the next that it scheduled");
  x.scheduled.erase(next);
  x.trace.push_back({tag, record::kind::action, action, 0, value});
}

void network::mode(node_id node, logical_time tag, std::uint32_t action,
                   bool by_history) {
  auto& x = *cells_[node];
  auto& modes = *x.node.modes();
  auto entered = modes.find(action);
  if (tag.microstep == 0 || entered == no_mode || modes.active() != entered)
    broken(node, "enters a wrong mode at " + to_string(tag));
  x.trace.push_back({tag, record::kind::mode, entered, by_history, 0});
  if (by_history && x.active_mode == entered)
    return;
  auto called = logical_time{tag.ns, tag.microstep - 1};
  auto& left = x.suspended_in[x.active_mode];
  std::erase_if(x.scheduled, [&](auto& event) {
    auto [due, entry] = event;
    if (modes.mode_of_action(entry.first) != x.active_mode)
      return false;
    left.push_back(
      {due.ns > called.ns
         ? delay::from_parts(due.ns - called.ns, due.microstep)
         : delay::from_parts(0, due.microstep - called.microstep),
       entry.first, entry.second});
    return true;
  });
  for (auto& event : std::exchange(x.suspended_in[entered], {}))
    if (auto due = called + event.distance; by_history && due != forever)
      x.scheduled.emplace(due, std::pair{event.action, event.value});
  x.active_mode = entered;
}

void network::expire(node_id node, std::uint32_t action, logical_time due,
                     std::int64_t elapsed) {
  auto& x = *cells_[node];
  if (x.over || (!x.tags.empty() && due <= x.tags.back()) || elapsed > clock_)
    broken(node, "lets a watchdog expire for " + to_string(due));
  x.expired.emplace(due, action);
}

void network::tardy(node_id node, std::uint32_t, std::uint32_t connection,
                    logical_time arrival, logical_time due) {
  auto& x = *cells_[node];
  auto& link = links_[connection];
  auto message
    = std::find(link.unexecuted.begin(), link.unexecuted.end(), arrival);
  auto in_time = arrival.ns + link.spec.max_wait >= clock_ || due.ns < clock_;
  if (x.over || link.spec.max_wait < 0 || message == link.unexecuted.end()
      || (in_time && !options_.replays)
      || (!x.tags.empty() && due <= x.tags.back()))
    broken(node, "takes as tardy, for " + to_string(due) + ", what arrives at "
                   + to_string(arrival));
  link.unexecuted.erase(message);
  if (due != forever)
    link.tardy.push_back(due);
  tardy_values.push_back({connection, arrival, due});
}

void network::reaction(node_id node, logical_time tag, std::uint32_t reaction) {
  cells_[node]->trace.push_back({tag, record::kind::reaction, reaction, 0, 0});
}

void network::send(node_id node, logical_time tag, std::uint32_t connection,
                   logical_time arrival, const engine::value& content) {
  sends.push_back({connection, tag, arrival, number_in(content)});
  auto& link = links_[connection];
  if (link.spec.source != node)
    broken(node, "sends over the connection of another node");
  if (cells_[node]->over)
    broken(node, "sends after shutdown()");
  if (link.spec.physical) {
    if (cells_[node]->at_last)
      broken(node, "sends physically at the last tag");
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
  if (cells_[node]->at_last) {
    if (!link.distance.is_zero())
      broken(node, "sends with a delay at the last tag");
    auto& target = *cells_[link.spec.target];
    if ((target.at_last && !in_instant_loop(node, link.spec.target))
        || (target.over
            && at(link.spec.target).outcome() != engine::ending::aborted))
      broken(node, "sends at the last tag to a node that is past it");
  } else if (arrival < link.promised)
    broken(node, "sends for " + to_string(arrival) + " although it promised "
                   + to_string(link.promised));
  link.last = arrival;
  if (!cells_[link.spec.target]->left)
    link.unexecuted.push_back(arrival);
}

void network::promise(node_id node, std::uint32_t connection,
                      logical_time promise) {
  promises.push_back({connection, promise});
  auto& link = links_[connection];
  if (link.intra_loop || link.spec.physical)
    broken(node, "promises alone on connection " + std::to_string(connection));
  if (promise <= link.promised)
    broken(node, "repeats a promise");
  if (cells_[node]->over)
    broken(node, "promises after shutdown()");
  link.promised = promise;
}

void network::drop(node_id node, std::uint32_t input,
                   engine::drop_reason reason) {
  if (input >= cells_[node]->inputs.size())
    broken(node, "drops a value for input " + std::to_string(input)
                   + ", which it does not have");
  drops.push_back({node, input, reason});
}

void network::proposal(node_id node, logical_time) {
  if (cells_[node]->over)
    broken(node, "is asked after shutdown()");
}

void network::answer(node_id node, logical_time tag) {
  auto& x = *cells_[node];
  auto logical = x.tags.empty() ? logical_time{} : x.tags.back();
  if (x.at_last)
    logical = at(node).final();
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

void network::shutdown(node_id node, logical_time tag, engine::ending outcome) {
  auto& x = *cells_[node];
  if (x.over)
    broken(node, "is shut down twice");
  if (tag != (x.tags.empty() ? logical_time{} : x.tags.back()))
    broken(node, "is shut down at a wrong tag");
  auto last = outcome == engine::ending::done ? forever : x.final;
  if (outcome != engine::ending::aborted && !x.scheduled.empty()
      && x.scheduled.begin()->first <= last)
    broken(node, "is shut down before what it scheduled for "
                   + to_string(x.scheduled.begin()->first));
  if (outcome != engine::ending::aborted && !x.expired.empty()
      && x.expired.begin()->first <= last)
    broken(node, "is shut down before an expiry");
  x.over = true;
}

void network::exit(node_id node) {
  if (!cells_[node]->over)
    broken(node, "exits before shutdown()");
}

} // namespace engine_test
