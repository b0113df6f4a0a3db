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

/// Tells whether it brings so little that its receiver may be through with it
/// before another thread has begun. With more, both have something to do.
bool has_few(const value_frame& x) noexcept {
  constexpr std::size_t few = 8;
  return x.batch.size() <= few;
}

std::uint64_t messages_in(const std::vector<envelope>& xs) noexcept {
  return static_cast<std::uint64_t>(
    std::count_if(xs.begin(), xs.end(), brings_value));
}

} // namespace

struct gateway::split_loop {
  split_loop(std::uint32_t index, shared_loop_time_table& what, process_id self,
             const std::vector<process_id>& homes,
             const std::vector<remote_loop_table::crossing>& crossings)
    : number(index), members(what), view(what, self, homes, crossings) {
    // nop
  }

  struct letter {
    process_id home;
    node_id to;
    std::vector<envelope> batch;
  };

  std::uint32_t number;
  shared_loop_time_table& members;
  // All that follows is protected by the loop time table's lock.
  remote_loop_table view;
  std::vector<letter> letters; // until it is unlocked
};

// -- constructors, destructors ------------------------------------------------

gateway::gateway(std::uint64_t session, std::vector<process_handle> peers,
                 const node_directory& nodes, const wired_graph& graph,
                 std::uint32_t max_in_flight, local env)
  : session_(session), nodes_(nodes), graph_(graph.topology()),
    wiring_(graph.wiring()), enough_(engine::ack_distance(max_in_flight)),
    env_(std::move(env)), peers_(peers.size()), inhabitants_(nodes.size()),
    loops_(graph.loop_time_tables().size()),
    sent_(std::make_unique<std::atomic<std::uint64_t>[]>(
      graph_.connections().size())) {
  for (std::size_t i = 0; i < peers.size(); ++i)
    peers_[i].handle = std::move(peers[i]);
  for (node_id i = 0; i < nodes.size(); ++i)
    if (nodes.find(i) != nullptr)
      inhabitants_[i] = std::make_unique<inhabitant>();
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
  for (node_id id = 0; id < inhabitants_.size(); ++id) {
    if (!inhabitants_[id])
      continue;
    auto& target = *inhabitants_[id];
    for (auto i : graph_.incoming(id)) {
      auto& x = all[i];
      target.by_input.push_back(nullptr);
      auto source = nodes_.home(x.source);
      if (source == nodes_.self())
        continue;
      auto& link = wiring_.link_of(i);
      target.links.emplace_back(new far_link{i, source, &link, x.physical});
      target.by_input.back() = target.links.back().get();
      target.physical = target.physical || x.physical;
      // The engine wakes a waiting sender when it has executed something. Here
      // that means that somebody has to look whether the sender is to be told.
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
    auto is_here = [this](auto id) { return inhabitants_[id] != nullptr; };
    if (crossings[i].empty()
        || std::none_of(nodes.begin(), nodes.end(), is_here))
      continue;
    std::vector<process_id> homes;
    for (auto id : nodes)
      homes.push_back(nodes_.home(id));
    loops_[i] = std::make_unique<split_loop>(
      i, *tables[i], nodes_.self(), homes, crossings[i]);
    tables[i]->before_unlock([this, loop = loops_[i].get()] {
      post_letters(*loop);
    });
    for (auto id : nodes)
      if (inhabitants_[id])
        inhabitants_[id]->loop = loops_[i].get();
  }
}

// -- from this process --------------------------------------------------------

void gateway::send(node_id from, node_id to, std::vector<envelope>& batch) {
  note_sent(to, batch);
  auto home = nodes_.home(to);
  auto* loop = inhabitants_[from]->loop;
  if (loop == nullptr || !graph_.in_same_loop(from, to)) {
    auto messages = messages_in(batch);
    value_frame x;
    x.node = to;
    x.batch.swap(batch);
    write_ahead(x, *env_.system, *this);
    if (x.ahead.size > 0)
      batch.swap(x.batch); // the memory is of use once more
    post(home, std::move(x), messages);
    return;
  }
  std::unique_lock<engine::loop_time_table> guard;
  if (!loop->members.held_here())
    guard = std::unique_lock<engine::loop_time_table>{loop->members};
  auto incoming = graph_.incoming(to);
  for (auto& x : batch)
    if (x.what == envelope::kind::data)
      loop->view.sent(incoming[x.connection]);
  loop->letters.push_back({home, to, std::exchange(batch, {})});
}

void gateway::post_letters(split_loop& x) {
  // A view has to count all that was sent when it was true.
  for (auto& letter : x.letters) {
    value_frame y;
    auto messages = messages_in(letter.batch);
    y.node = letter.to;
    y.batch = std::move(letter.batch);
    y.loop = x.number;
    y.view = x.view.news_for(letter.home);
    post(letter.home, std::move(y), messages);
  }
  x.letters.clear();
}

void gateway::post(process_id to, value_frame&& x, std::uint64_t messages) {
  x.session = session_;
  x.from = nodes_.self();
  x.to = to;
  frames_.fetch_add(1, std::memory_order_relaxed);
  if (messages > 0)
    messages_.fetch_add(messages, std::memory_order_relaxed);
  else
    without_messages_.fetch_add(1, std::memory_order_relaxed);
  auto& other = peers_[to];
  std::lock_guard guard{other.mutex};
  x.number = ++other.sent;
  env_.runner->send([&] {
    caf::send_as(
      caf::actor_cast<caf::actor>(env_.self), other.handle, std::move(x));
  });
}

void gateway::post_news(acks_by_process&& news) {
  for (auto& [process, what] : news) {
    value_frame x;
    x.news = std::move(what);
    post(process, std::move(x), 0);
  }
}

void gateway::note_idle(node_id id, bool owes_acks) {
  auto& self = *inhabitants_[id];
  if (owes_acks || self.physical) {
    acks_by_process news;
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
      auto wanted
        = x->physical
          || x->acked < x->ack_request.load(std::memory_order_acquire);
      if (!wanted || executed < x->acked + enough_)
        continue;
      x->acked = executed;
      news[x->source].push_back({x->connection, executed, false});
    }
    post_news(std::move(news));
  }
  if (self.loop != nullptr)
    tell_others(*self.loop);
}

void gateway::note_exit(node_id id) {
  acks_by_process news;
  for (auto& x : inhabitants_[id]->links)
    news[x->source].push_back({x->connection, x->acked, true});
  post_news(std::move(news));
  if (auto* loop = inhabitants_[id]->loop)
    tell_others(*loop);
}

void gateway::tell_others(split_loop& x) {
  std::vector<node_id> woken;
  {
    std::lock_guard guard{x.members};
    x.view.refresh(woken);
    for (auto other : x.view.receivers())
      if (x.view.owes(other)) {
        value_frame y;
        y.loop = x.number;
        y.view = x.view.news_for(other);
        post(other, std::move(y), 0);
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

void gateway::receive(value_frame& x, const caf::strong_actor_ptr& sender) {
  std::lock_guard guard{receiving_};
  if (closed_ || x.session != session_ || !check_sender(x, sender) || !check(x))
    return;
  take_news(x);
  if (x.loop != value_frame::none)
    take_in_loop(x);
  else if (!x.batch.empty()) {
    put_into_inbox(x);
    env_.wake(x.node, has_few(x));
  }
}

bool gateway::check_sender(
  const value_frame& x, const caf::strong_actor_ptr& sender) {
  auto is_from = [&](const peer& y) {
    return y.handle && sender && y.handle.node() == sender->node();
  };
  if (x.from < peers_.size() && is_from(peers_[x.from]))
    return true;
  for (process_id i = 0; i < peers_.size(); ++i)
    if (is_from(peers_[i]))
      fail(i, "sent a message in the name of another process");
  return false; // or it is nobody of this application
}

bool gateway::check(const value_frame& x) {
  if (x.from == nodes_.self() || x.to != nodes_.self())
    return false;
  auto wrong = [&](std::string what) {
    fail(x.from, std::move(what));
    return false;
  };
  auto& other = peers_[x.from];
  if (!x.problem.empty())
    return wrong("sent " + x.problem);
  if (x.number != ++other.received)
    return wrong(
      "sent its message " + std::to_string(x.number)
      + " to this process where message " + std::to_string(other.received)
      + " was to come: something was lost under way");
  if (x.node == value_frame::none
        ? !x.batch.empty()
        : x.node >= nodes_.size() || !inhabitants_[x.node])
    return wrong("sent a message for a node that is not here");
  for (auto& y : x.batch) {
    if (auto problem = check_envelope(x, y); !problem.empty())
      return wrong(problem);
    if (y.what == envelope::kind::data)
      inhabitants_[x.node]->by_input[y.connection]->last = y.tag;
  }
  if (x.loop != value_frame::none
      && (x.loop >= loops_.size() || !loops_[x.loop]))
    return wrong("sent the view of a loop that is not here");
  if (x.loop != value_frame::none && x.node != value_frame::none
      && inhabitants_[x.node]->loop != loops_[x.loop].get())
    return wrong("sent the view of another loop");
  for (auto& y : x.news) {
    if (y.connection >= graph_.connections().size())
      return wrong("told of a connection that is not there");
    auto& c = graph_.connections()[y.connection];
    if (nodes_.home(c.target) != x.from || !inhabitants_[c.source])
      return wrong("told of a connection of others");
    if (y.executed > sent_[y.connection].load(std::memory_order_acquire))
      return wrong("has executed more messages than were sent to it");
  }
  return true;
}

std::string gateway::check_envelope(
  const value_frame& x, const envelope& y) const {
  auto is_ask = y.what == envelope::kind::bound_request;
  auto all = is_ask ? graph_.outgoing(x.node) : graph_.incoming(x.node);
  if (y.connection >= all.size())
    return "sent a message for a connection that is not there";
  auto& c = graph_.connections()[all[y.connection]];
  if (nodes_.home(is_ask ? c.target : c.source) != x.from)
    return "sent a message for a connection of another process";
  if (y.what != envelope::kind::no_more && !is_ask
      && c.physical != (y.what == envelope::kind::physical))
    return "sent a message of the wrong kind";
  if (y.what != envelope::kind::data)
    return {};
  if (y.tag < logical_time{} || y.tag.ns == forever.ns)
    return "sent a message for no tag";
  // One after the other, and one at a tag.
  if (auto last = inhabitants_[x.node]->by_input[y.connection]->last;
      y.tag <= last)
    return "sent a message for tag " + to_string(y.tag) + " after one for tag "
           + to_string(last) + " over the same connection";
  return {};
}

void gateway::note_sent(node_id to, const std::vector<envelope>& xs) {
  auto incoming = graph_.incoming(to);
  for (auto& x : xs)
    if (brings_value(x))
      sent_[incoming[x.connection]].fetch_add(1, std::memory_order_release);
}

void gateway::take_news(const value_frame& x) {
  for (auto& y : x.news) {
    auto& link = wiring_.link_of(y.connection);
    auto& c = graph_.connections()[y.connection];
    auto done = link.executed.load(std::memory_order_relaxed);
    if (y.executed > done) {
      if (c.physical)
        link.waiting.fetch_sub(static_cast<std::uint32_t>(y.executed - done));
      link.executed.store(y.executed, std::memory_order_seq_cst);
    }
    if (y.gone)
      link.gone.store(true, std::memory_order_seq_cst);
    if (link.sender_waits.exchange(false))
      env_.wake(c.source, false);
  }
}

void gateway::put_into_inbox(value_frame& x) {
  auto& self = *inhabitants_[x.node];
  for (auto& y : x.batch) {
    if (!brings_value(y))
      continue;
    auto& link = *self.by_input[y.connection];
    if (y.what == envelope::kind::physical)
      link.link->waiting.fetch_add(1, std::memory_order_relaxed);
    auto number = link.arrived.load(std::memory_order_relaxed) + 1;
    link.arrived.store(number, std::memory_order_release);
    if (y.ack_request)
      link.ack_request.store(number, std::memory_order_release);
  }
  node_access::inbox(*nodes_.find(x.node)).push(x.batch);
}

void gateway::take_in_loop(value_frame& x) {
  auto& loop = *loops_[x.loop];
  std::vector<node_id> woken;
  auto ok = false;
  {
    std::lock_guard guard{loop.members};
    if (x.node != value_frame::none) {
      auto member = member_of(loop.members, x.node);
      auto incoming = graph_.incoming(x.node);
      for (auto& y : x.batch)
        if (y.what == envelope::kind::data) {
          loop.members.in_transit(member, y.tag);
          loop.view.received(incoming[y.connection]);
        }
      put_into_inbox(x);
      woken.push_back(x.node);
    }
    ok = loop.view.merge(x.view, woken);
  }
  if (!ok) {
    fail(x.from, "sent a view of a loop that cannot be true");
    return;
  }
  // Who is woken tells others when it has gone on; else what is known is passed
  // on now.
  if (!wake(woken, has_few(x)))
    tell_others(loop);
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

bool gateway::wake(const std::vector<node_id>& who, bool here) {
  auto result = false;
  for (auto id : who)
    if (inhabitants_[id])
      result = env_.wake(id, here) || result;
  return result;
}

void gateway::fail(process_id from, std::string what) {
  if (!failed_.exchange(true))
    env_.failed(from, std::move(what));
}

} // namespace caf::rosia::detail
