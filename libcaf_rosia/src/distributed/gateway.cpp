// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/gateway.hpp"

#include "caf/rosia/port.hpp"
#include "nodes/node_access.hpp"

#include <caf/send.hpp>

#include <algorithm>

namespace caf::rosia::detail {

using engine::envelope;
using engine::loop_time_table;
using engine::node_id;
using engine::process_id;
using engine::remote_loop_table;

namespace {

/// The gateways of this program, for those who read and write frames.
struct registry {
  std::shared_mutex mutex;
  std::map<std::pair<std::uint64_t, process_id>, gateway*> entries;

  static registry& instance() {
    static registry result;
    return result;
  }
};

loop_time_table::member member_of(const loop_time_table& loop, node_id id) {
  auto& nodes = loop.nodes();
  return static_cast<loop_time_table::member>(
    std::lower_bound(nodes.begin(), nodes.end(), id) - nodes.begin());
}

std::uint32_t mark_of(std::string_view type) noexcept {
  std::uint32_t result = 0x811c9dc5;
  for (auto c : type)
    result = (result ^ static_cast<unsigned char>(c)) * 0x01000193;
  return result;
}

bool brings_value(const envelope& x) noexcept {
  return x.what == envelope::kind::data || x.what == envelope::kind::physical;
}

/// Tells whether a frame has so few messages that its receiver can handle them
/// in less time than it takes to wake another thread.
bool has_few(const value_frame& frame) noexcept {
  constexpr std::size_t few = 8;
  return frame.batch.size() <= few;
}

std::uint64_t messages_in(const std::vector<envelope>& batch) noexcept {
  return static_cast<std::uint64_t>(
    std::count_if(batch.begin(), batch.end(), brings_value));
}

} // namespace

struct gateway::split_loop {
  split_loop(std::uint32_t index, shared_loop_time_table& table,
             process_id self, const std::vector<process_id>& homes,
             const std::vector<remote_loop_table::crossing>& crossings)
    : number(index), members(table), view(table, self, homes, crossings) {
    // nop
  }

  struct held_batch {
    process_id home;
    node_id to;
    std::vector<envelope> batch;
  };

  std::uint32_t number;
  shared_loop_time_table& members;
  // All that follows is protected by the loop time table's lock.
  remote_loop_table view;
  std::vector<held_batch> held_batches; // until it is unlocked
};

// -- constructors, destructors ------------------------------------------------

gateway::gateway(std::uint64_t session, std::vector<process_handle> peers,
                 const node_directory& nodes, const wired_graph& graph,
                 std::uint32_t max_in_flight, local env)
  : session_(session), nodes_(nodes), graph_(graph.topology()),
    wiring_(graph.wiring()), ack_distance_(engine::ack_distance(max_in_flight)),
    env_(std::move(env)), peers_(peers.size()), local_nodes_(nodes.size()),
    loops_(graph.loop_time_tables().size()),
    sent_(std::make_unique<std::atomic<std::uint64_t>[]>(
      graph_.connections().size())) {
  for (std::size_t i = 0; i < peers.size(); ++i)
    peers_[i].handle = std::move(peers[i]);
  for (node_id i = 0; i < nodes.size(); ++i)
    if (nodes.find(i) != nullptr)
      local_nodes_[i] = std::make_unique<local_node>();
  find_links();
  find_loops(graph.loop_time_tables());
  auto& all = registry::instance();
  std::unique_lock guard{all.mutex};
  all.entries[{session_, nodes_.self()}] = this;
}

gateway::~gateway() {
  auto& all = registry::instance();
  std::unique_lock guard{all.mutex};
  all.entries.erase({session_, nodes_.self()});
}

gateway::lease::lease(std::uint64_t session, process_id process)
  : guard_(registry::instance().mutex) {
  auto& all = registry::instance().entries;
  if (auto i = all.find({session, process}); i != all.end())
    found_ = i->second;
}

void gateway::find_links() {
  auto& all = graph_.connections();
  for (auto& x : all)
    type_marks_.push_back(mark_of(nodes_.type_of(x.source, true, x.output)));
  for (node_id id = 0; id < local_nodes_.size(); ++id) {
    if (!local_nodes_[id])
      continue;
    auto& target = *local_nodes_[id];
    for (auto i : graph_.incoming(id)) {
      auto& x = all[i];
      target.by_input.push_back(nullptr);
      auto source = nodes_.home(x.source);
      if (source == nodes_.self())
        continue;
      auto& link = wiring_.link_of(i);
      target.links.emplace_back(new remote_link{i, source, &link, x.physical});
      target.by_input.back() = target.links.back().get();
      target.physical = target.physical || x.physical;
      // The engine wakes a saturated sender when it has executed something.
      // Here that means that an ack may be due.
      link.sender_waits.store(true);
    }
  }
}

void gateway::find_loops(const std::vector<shared_loop_time_table*>& tables) {
  std::vector<std::vector<remote_loop_table::crossing>> crossings(
    tables.size());
  auto& all = graph_.connections();
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    auto& x = all[i];
    if (x.physical || !graph_.in_same_loop(x.source, x.target)
        || nodes_.home(x.source) == nodes_.home(x.target))
      continue;
    auto loop = graph_.loop_of(x.source);
    crossings[loop].push_back(
      {i, member_of(*tables[loop], x.source),
       member_of(*tables[loop], x.target)});
  }
  for (std::uint32_t i = 0; i < tables.size(); ++i) {
    auto& nodes = tables[i]->nodes();
    auto is_here = [this](auto id) { return local_nodes_[id] != nullptr; };
    if (crossings[i].empty()
        || std::none_of(nodes.begin(), nodes.end(), is_here))
      continue;
    std::vector<process_id> homes;
    for (auto id : nodes)
      homes.push_back(nodes_.home(id));
    loops_[i] = std::make_unique<split_loop>(
      i, *tables[i], nodes_.self(), homes, crossings[i]);
    tables[i]->before_unlock([this, loop = loops_[i].get()] {
      send_batches(*loop);
    });
    for (auto id : nodes)
      if (local_nodes_[id])
        local_nodes_[id]->loop = loops_[i].get();
  }
}

// -- from this process --------------------------------------------------------

void gateway::send(node_id from, node_id to, std::vector<envelope>& batch) {
  count_sent(to, batch);
  auto home = nodes_.home(to);
  auto* loop = local_nodes_[from]->loop;
  if (loop == nullptr || !graph_.in_same_loop(from, to)) {
    auto messages = messages_in(batch);
    value_frame frame;
    frame.node = to;
    frame.batch.swap(batch);
    write_ahead(frame, *env_.system, *this);
    if (frame.ahead.size > 0)
      batch.swap(frame.batch); // the memory is of use once more
    post(home, std::move(frame), messages);
    return;
  }
  std::unique_lock<engine::loop_time_table> guard;
  if (!loop->members.held_here())
    guard = std::unique_lock<engine::loop_time_table>{loop->members};
  auto incoming = graph_.incoming(to);
  for (auto& message : batch)
    if (message.what == envelope::kind::data)
      loop->view.sent(incoming[message.connection]);
  loop->held_batches.push_back({home, to, std::exchange(batch, {})});
}

void gateway::send_batches(split_loop& loop) {
  // The entries have to count all that was sent when they were true.
  for (auto& held : loop.held_batches) {
    value_frame frame;
    auto messages = messages_in(held.batch);
    frame.node = held.to;
    frame.batch = std::move(held.batch);
    frame.loop = loop.number;
    frame.view = loop.view.news_for(held.home);
    post(held.home, std::move(frame), messages);
  }
  loop.held_batches.clear();
}

void gateway::post(process_id to, value_frame&& frame, std::uint64_t messages) {
  frame.session = session_;
  frame.from = nodes_.self();
  frame.to = to;
  frames_.fetch_add(1, std::memory_order_relaxed);
  if (messages > 0)
    messages_.fetch_add(messages, std::memory_order_relaxed);
  else
    without_messages_.fetch_add(1, std::memory_order_relaxed);
  auto& other = peers_[to];
  std::lock_guard guard{other.mutex};
  frame.number = ++other.sent;
  env_.runner->send([&] {
    caf::send_as(
      caf::actor_cast<caf::actor>(env_.self), other.handle, std::move(frame));
  });
}

void gateway::send_acks(acks_by_process&& acks) {
  for (auto& [process, list] : acks) {
    value_frame frame;
    frame.acks = std::move(list);
    post(process, std::move(frame), 0);
  }
}

void gateway::note_idle(node_id id, bool owes_acks) {
  auto& self = *local_nodes_[id];
  if (owes_acks || self.physical) {
    acks_by_process acks;
    for (auto& x : self.links) {
      auto executed = std::uint64_t{0};
      if (x->physical) {
        // They wait until they are executed, or dropped.
        executed = x->arrived.load(std::memory_order_acquire)
                   - x->link->waiting.load(std::memory_order_acquire);
      } else {
        if (x->link->sender_waits.load(std::memory_order_relaxed))
          continue;
        x->link->sender_waits.store(true, std::memory_order_relaxed);
        executed = x->link->executed.load(std::memory_order_relaxed);
      }
      auto requested
        = x->physical
          || x->acked < x->ack_request.load(std::memory_order_acquire);
      if (!requested || executed < x->acked + ack_distance_)
        continue;
      x->acked = executed;
      acks[x->source].push_back({x->connection, executed, false});
    }
    send_acks(std::move(acks));
  }
  if (self.loop != nullptr)
    send_entries(*self.loop);
}

void gateway::note_exit(node_id id) {
  acks_by_process acks;
  for (auto& x : local_nodes_[id]->links)
    acks[x->source].push_back({x->connection, x->acked, true});
  send_acks(std::move(acks));
  if (auto* loop = local_nodes_[id]->loop)
    send_entries(*loop);
}

void gateway::send_entries(split_loop& loop) {
  std::vector<node_id> woken;
  {
    std::lock_guard guard{loop.members};
    loop.view.refresh(woken);
    for (auto process : loop.view.receivers())
      if (loop.view.owes(process)) {
        value_frame frame;
        frame.loop = loop.number;
        frame.view = loop.view.news_for(process);
        post(process, std::move(frame), 0);
      }
  }
  wake(woken, false);
}

void gateway::close() {
  std::lock_guard guard{receiving_};
  closed_ = true;
}

gateway::counts gateway::sent() const noexcept {
  return {messages_.load(), frames_.load(), without_messages_.load()};
}

// -- from other processes -----------------------------------------------------

void gateway::receive(value_frame& frame, const caf::strong_actor_ptr& sender) {
  std::lock_guard guard{receiving_};
  if (closed_ || frame.session != session_ || !check_sender(frame, sender)
      || !check(frame))
    return;
  apply_acks(frame.acks);
  if (frame.loop != value_frame::none)
    receive_in_loop(frame);
  else if (!frame.batch.empty()) {
    put_into_inbox(frame);
    env_.wake(frame.node, has_few(frame));
  }
}

bool gateway::check_sender(
  const value_frame& frame, const caf::strong_actor_ptr& sender) {
  auto is_from = [&](const peer& other) {
    return other.handle && sender && other.handle.node() == sender->node();
  };
  if (frame.from < peers_.size() && is_from(peers_[frame.from]))
    return true;
  for (process_id i = 0; i < peers_.size(); ++i)
    if (is_from(peers_[i]))
      fail(i, "sent a message in the name of another process");
  return false; // or it is nobody of this application
}

bool gateway::check(const value_frame& frame) {
  if (frame.from == nodes_.self() || frame.to != nodes_.self())
    return false;
  auto wrong = [&](std::string problem) {
    fail(frame.from, std::move(problem));
    return false;
  };
  auto& other = peers_[frame.from];
  if (!frame.problem.empty())
    return wrong("sent " + frame.problem);
  if (frame.number != ++other.received)
    return wrong(
      "sent its message " + std::to_string(frame.number)
      + " to this process where message " + std::to_string(other.received)
      + " was to come: something was lost under way");
  if (frame.node == value_frame::none
        ? !frame.batch.empty()
        : frame.node >= nodes_.size() || !local_nodes_[frame.node])
    return wrong("sent a message for a node that is not here");
  for (auto& message : frame.batch) {
    if (auto problem = check_envelope(frame, message); !problem.empty())
      return wrong(problem);
    if (message.what == envelope::kind::data)
      local_nodes_[frame.node]->by_input[message.connection]->last
        = message.tag;
  }
  if (frame.loop != value_frame::none
      && (frame.loop >= loops_.size() || !loops_[frame.loop]))
    return wrong("sent the view of a loop that is not here");
  if (frame.loop != value_frame::none && frame.node != value_frame::none
      && local_nodes_[frame.node]->loop != loops_[frame.loop].get())
    return wrong("sent the view of another loop");
  for (auto& ack : frame.acks) {
    if (ack.connection >= graph_.connections().size())
      return wrong("told of a connection that is not there");
    auto& c = graph_.connections()[ack.connection];
    if (nodes_.home(c.target) != frame.from || !local_nodes_[c.source])
      return wrong("told of a connection of others");
    if (ack.executed > sent_[ack.connection].load(std::memory_order_acquire))
      return wrong("has executed more messages than were sent to it");
  }
  return true;
}

std::string gateway::check_envelope(
  const value_frame& frame, const envelope& message) const {
  auto is_bound_request = message.what == envelope::kind::bound_request;
  auto all = is_bound_request ? graph_.outgoing(frame.node)
                              : graph_.incoming(frame.node);
  if (message.connection >= all.size())
    return "sent a message for a connection that is not there";
  auto& c = graph_.connections()[all[message.connection]];
  if (nodes_.home(is_bound_request ? c.target : c.source) != frame.from)
    return "sent a message for a connection of another process";
  if (message.what != envelope::kind::no_more && !is_bound_request
      && c.physical != (message.what == envelope::kind::physical))
    return "sent a message of the wrong kind";
  if (message.what != envelope::kind::data)
    return {};
  if (message.tag < logical_time{} || message.tag.ns == forever.ns)
    return "sent a message for no tag";
  // One after the other, and one at a tag.
  if (auto last = local_nodes_[frame.node]->by_input[message.connection]->last;
      message.tag <= last)
    return "sent a message for tag " + to_string(message.tag)
           + " after one for tag " + to_string(last)
           + " over the same connection";
  return {};
}

void gateway::count_sent(node_id to, const std::vector<envelope>& batch) {
  auto incoming = graph_.incoming(to);
  for (auto& message : batch)
    if (brings_value(message))
      sent_[incoming[message.connection]].fetch_add(
        1, std::memory_order_release);
}

void gateway::apply_acks(const std::vector<link_ack>& acks) {
  for (auto& ack : acks) {
    auto& link = wiring_.link_of(ack.connection);
    auto& c = graph_.connections()[ack.connection];
    auto done = link.executed.load(std::memory_order_relaxed);
    if (ack.executed > done) {
      if (c.physical)
        link.waiting.fetch_sub(static_cast<std::uint32_t>(ack.executed - done));
      link.executed.store(ack.executed, std::memory_order_seq_cst);
    }
    if (ack.gone)
      link.gone.store(true, std::memory_order_seq_cst);
    if (link.sender_waits.exchange(false))
      env_.wake(c.source, false);
  }
}

void gateway::put_into_inbox(value_frame& frame) {
  auto& self = *local_nodes_[frame.node];
  for (auto& message : frame.batch) {
    if (!brings_value(message))
      continue;
    auto& link = *self.by_input[message.connection];
    if (message.what == envelope::kind::physical)
      link.link->waiting.fetch_add(1, std::memory_order_relaxed);
    auto number = link.arrived.load(std::memory_order_relaxed) + 1;
    link.arrived.store(number, std::memory_order_release);
    if (message.ack_request)
      link.ack_request.store(number, std::memory_order_release);
  }
  node_access::inbox(*nodes_.find(frame.node)).push(frame.batch);
}

void gateway::receive_in_loop(value_frame& frame) {
  auto& loop = *loops_[frame.loop];
  std::vector<node_id> woken;
  auto ok = false;
  {
    std::lock_guard guard{loop.members};
    if (frame.node != value_frame::none) {
      auto member = member_of(loop.members, frame.node);
      auto incoming = graph_.incoming(frame.node);
      for (auto& message : frame.batch)
        if (message.what == envelope::kind::data) {
          loop.members.in_transit(member, message.tag);
          loop.view.received(incoming[message.connection]);
        }
      put_into_inbox(frame);
      woken.push_back(frame.node);
    }
    ok = loop.view.merge(frame.view, woken);
  }
  if (!ok) {
    fail(frame.from, "sent a view of a loop that cannot be true");
    return;
  }
  // A node that is woken sends the entries on when it has run; else they are
  // sent on now.
  if (!wake(woken, has_few(frame)))
    send_entries(loop);
}

// -- for reading and writing frames -------------------------------------------

const engine::payload_type* gateway::payload_of(
  node_id node, std::uint32_t index) const noexcept {
  if (node >= nodes_.size() || nodes_.find(node) == nullptr
      || index >= graph_.incoming(node).size())
    return nullptr;
  auto& c = graph_.connections()[graph_.incoming(node)[index]];
  auto& result = node_access::inputs(*nodes_.find(node))[c.input]->payload();
  return result.load != nullptr ? &result : nullptr;
}

std::uint32_t gateway::type_mark(
  node_id to, std::uint32_t index) const noexcept {
  return type_marks_[graph_.incoming(to)[index]];
}

void gateway::cannot_write(
  node_id to, std::uint32_t index, const std::string& why) {
  fail(nodes_.self(),
       "cannot write a value for " + describe(to, index) + ": " + why);
}

std::string gateway::describe(node_id to, std::uint32_t index) const {
  auto& c = graph_.connections()[graph_.incoming(to)[index]];
  return "the connection from '" + nodes_.path(c.source, true, c.output)
         + "' to '" + nodes_.path(c.target, false, c.input) + "' of type "
         + nodes_.type_of(c.source, true, c.output);
}

// -- implementation -----------------------------------------------------------

bool gateway::wake(const std::vector<node_id>& nodes, bool here) {
  auto result = false;
  for (auto id : nodes)
    if (local_nodes_[id])
      result = env_.wake(id, here) || result;
  return result;
}

void gateway::fail(process_id from, std::string problem) {
  if (!failed_.exchange(true))
    env_.failed(from, std::move(problem));
}

} // namespace caf::rosia::detail
