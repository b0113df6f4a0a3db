// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/gateway.hpp"

#include "base/text.hpp"
#include "caf/rosia/port.hpp"
#include "nodes/node_access.hpp"

#include <algorithm>
#include <utility>

namespace caf::rosia::detail {

using engine::envelope;
using engine::envelope_kind;
using engine::loop_time_table;
using engine::node_id;
using engine::process_id;
using engine::remote_loop_table;

namespace {

loop_time_table::member member_of(const loop_time_table& loop, node_id id) {
  auto& nodes = loop.nodes();
  return static_cast<loop_time_table::member>(
    std::lower_bound(nodes.begin(), nodes.end(), id) - nodes.begin());
}

bool brings_value(const envelope& x) noexcept {
  return x.kind == envelope_kind::data || x.kind == envelope_kind::physical;
}

/// The number of messages with which a node is called even if it does not await
/// promises.
constexpr std::size_t most_unread = 64;

constexpr auto no_such_connection
  = "sent a message for a connection that is not there";
constexpr auto connection_of_others
  = "sent a message for a connection of another process";

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

  struct held_frame {
    process_id home;
    value_frame frame;
    std::uint64_t messages;
  };

  std::uint32_t number;
  shared_loop_time_table& members;
  // The loop time table's lock protects the members below.
  remote_loop_table view;
  std::vector<held_frame> held_frames; // until it is unlocked
};

// -- remote_link --------------------------------------------------------------

bool gateway::remote_link::take(envelope_kind kind) noexcept {
  switch (kind) {
    case envelope_kind::data:
    case envelope_kind::physical:
      return !done;
    case envelope_kind::done:
      done = true;
      return true;
    case envelope_kind::last_tag:
      done = true;
      return !std::exchange(ended, true);
    case envelope_kind::no_more:
      done = ended = true;
      return true;
    default:
      return true;
  }
}

// -- constructors, destructors ------------------------------------------------

gateway::gateway(std::uint64_t session, std::vector<frame_link_ptr> links,
                 const node_directory& nodes, const wired_graph& graph,
                 std::uint32_t max_in_flight, local env)
  : session_(session), nodes_(nodes), graph_(graph),
    ack_distance_(engine::ack_distance(max_in_flight)), env_(std::move(env)),
    codec_(*env_.system, nodes_, graph_.topology()), peers_(links.size()),
    local_nodes_(nodes.size()), loops_(graph.loop_time_tables().size()),
    sent_(std::make_unique<std::atomic<std::uint64_t>[]>(
      graph_.topology().connections().size())) {
  for (std::size_t i = 0; i < links.size(); ++i)
    if (links[i]) {
      peers_[i].name = links[i]->peer();
      peers_[i].link = std::move(links[i]);
    }
  for (node_id i = 0; i < nodes.size(); ++i)
    if (nodes.find(i) != nullptr)
      local_nodes_[i] = std::make_unique<local_node>();
  find_links();
  find_channels();
  find_loops(graph.loop_time_tables());
  env_.slot->set(this);
}

gateway::~gateway() {
  close();
}

void gateway::find_links() {
  auto& all = graph_.topology().connections();
  for (node_id id = 0; id < local_nodes_.size(); ++id) {
    if (!local_nodes_[id])
      continue;
    auto& target = *local_nodes_[id];
    for (auto i : graph_.topology().incoming(id)) {
      auto& x = all[i];
      target.by_input.push_back(nullptr);
      auto source = nodes_.home(x.source);
      if (source == nodes_.self())
        continue;
      auto& link = graph_.wiring().link_of(i);
      target.links.emplace_back(new remote_link{
        i, source, &link, x.physical,
        graph_.topology().in_same_loop(x.source, x.target),
        engine::is_instant(x) && graph_.topology().executes_last_tag(id)});
      target.by_input.back() = target.links.back().get();
      target.physical = target.physical || x.physical;
      // The engine wakes a saturated sender after executing something. For a
      // remote sender, this means that an ack may be due.
      link.sender_waits.store(true);
    }
  }
}

void gateway::find_channels() {
  auto& graph = graph_.topology();
  auto& all = graph.connections();
  in_channel_.resize(all.size());
  auto add = [this](std::uint32_t connection, std::vector<local_end>& channel,
                    local_end end, unsent_bounds& bounds) {
    in_channel_[connection] = static_cast<std::uint32_t>(channel.size());
    channel.push_back(end);
    bounds.add_connection();
  };
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    auto& x = all[i];
    auto source = nodes_.home(x.source);
    auto target = nodes_.home(x.target);
    if (source == target || x.physical || x.in_loop)
      continue;
    if (source == nodes_.self()) {
      auto& other = peers_[target];
      add(i, other.to_peer, {x.source, graph.index_at_source(i)},
          other.promises);
    } else if (target == nodes_.self()) {
      auto& other = peers_[source];
      add(i, other.from_peer, {x.target, graph.index_at_target(i)},
          other.requests);
    }
  }
}

void gateway::find_loops(const std::vector<shared_loop_time_table*>& tables) {
  std::vector<std::vector<remote_loop_table::crossing>> crossings(
    tables.size());
  auto& all = graph_.topology().connections();
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    auto& x = all[i];
    if (!x.in_loop || nodes_.home(x.source) == nodes_.home(x.target))
      continue;
    auto loop = graph_.topology().loop_of(x.source);
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
      post_frames(*loop);
    });
    for (auto id : nodes)
      if (local_nodes_[id])
        local_nodes_[id]->loop = loops_[i].get();
  }
}

// -- from this process --------------------------------------------------------

void gateway::send(node_id from, node_id to, std::vector<envelope>& batch) {
  keep_bounds(to, batch);
  if (batch.empty())
    return;
  count_sent(to, batch);
  auto home = nodes_.home(to);
  thread_local value_frame frame;
  auto problem = codec_.begin(frame, address_to(home), to, batch);
  auto* loop = local_nodes_[from]->loop;
  if (!problem.empty()) {
    incomplete_ = true;
    fail(nodes_.self(), std::move(problem));
  } else if (loop != nullptr && graph_.topology().in_same_loop(from, to)) {
    hold(*loop, std::move(frame), to, batch);
  } else {
    post(home, frame, {}, messages_in(batch));
  }
  frame.clear();
  batch.clear();
}

void gateway::hold(split_loop& loop, value_frame&& frame, node_id to,
                   const std::vector<envelope>& batch) {
  std::unique_lock<engine::loop_time_table> guard;
  if (!loop.members.held_here())
    guard = std::unique_lock<engine::loop_time_table>{loop.members};
  auto incoming = graph_.topology().incoming(to);
  for (auto& message : batch)
    if (message.kind == envelope_kind::data)
      loop.view.sent(incoming[message.connection]);
  loop.held_frames.push_back(
    {nodes_.home(to), std::move(frame), messages_in(batch)});
}

void gateway::post_frames(split_loop& loop) {
  // The entries must count all messages that were sent before they were made.
  for (auto& held : loop.held_frames)
    post(held.home, held.frame, {loop.number, loop.view.news_for(held.home)},
         held.messages);
  loop.held_frames.clear();
}

void gateway::keep_bounds(node_id to, std::vector<envelope>& batch) {
  auto& other = peers_[nodes_.home(to)];
  auto& graph = graph_.topology();
  std::unique_lock guard{other.mutex, std::defer_lock};
  std::erase_if(batch, [&](const envelope& x) {
    auto is_promise = x.kind == envelope_kind::promise;
    if (!is_promise && x.kind != envelope_kind::bound_request)
      return false;
    if (!guard.owns_lock())
      guard.lock();
    if (is_promise)
      other.promises.set(
        in_channel_[graph.incoming(to)[x.connection]], x.promise);
    else
      other.requests.set(in_channel_[graph.outgoing(to)[x.connection]], x.tag);
    return true;
  });
  if (guard.owns_lock())
    unsent_.store(true);
}

void gateway::keep_ack(process_id to, const link_ack& ack) {
  std::lock_guard guard{peers_[to].mutex};
  peers_[to].acks.push_back(ack);
  unsent_.store(true);
}

void gateway::post(process_id to, value_frame& frame, frame_news news,
                   std::uint64_t messages) {
  std::lock_guard guard{peers_[to].mutex};
  complete(peers_[to], frame, std::move(news), messages);
  unsent_.store(true);
}

void gateway::post(process_id to, frame_news news) {
  value_frame frame;
  codec_.begin(frame, address_to(to), frame_content::none, {});
  post(to, frame, std::move(news), 0);
}

void gateway::complete(peer& to, value_frame& frame, frame_news news,
                       std::uint64_t messages) {
  // After a value could not be written, send nothing: receivers would take the
  // rest for complete.
  if (incomplete_)
    return;
  counts_.frames.fetch_add(1, std::memory_order_relaxed);
  if (messages > 0)
    counts_.messages.fetch_add(messages, std::memory_order_relaxed);
  else
    counts_.without_messages.fetch_add(1, std::memory_order_relaxed);
  if (!to.link)
    return;
  news.acks.swap(to.acks);
  news.promises = to.promises.take();
  news.requests = to.requests.take();
  frame_codec::finish(frame, news, ++to.sent);
  to.link->add_frame(frame_pieces{frame}.all());
}

void gateway::post_news(process_id to) {
  auto& other = peers_[to];
  std::lock_guard guard{other.mutex};
  if (other.acks.empty() && other.promises.empty() && other.requests.empty())
    return;
  value_frame frame;
  codec_.begin(frame, address_to(to), frame_content::none, {});
  complete(other, frame, {}, 0);
}

void gateway::note_restored(std::uint32_t connection, std::uint64_t count) {
  auto& x = graph_.topology().connections()[connection];
  if (nodes_.find(x.source) != nullptr) {
    sent_[connection].store(count, std::memory_order_release);
    return;
  }
  for (auto& link : local_nodes_[x.target]->links)
    if (link->connection == connection) {
      // These messages may saturate the sender.
      link->arrived.store(count, std::memory_order_release);
      link->ack_request.store(count, std::memory_order_release);
    }
}

void gateway::note_idle(node_id id, bool owes_acks) {
  auto& self = *local_nodes_[id];
  if (owes_acks || self.physical)
    for (auto& x : self.links) {
      auto executed = std::uint64_t{0};
      if (x->physical) {
        // Physical messages wait in the inbox until they are executed or
        // dropped.
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
      keep_ack(x->source, {x->connection, executed, false});
    }
  if (self.loop != nullptr)
    post_entries(*self.loop);
}

void gateway::note_exit(node_id id) {
  for (auto& x : local_nodes_[id]->links)
    keep_ack(x->source, {x->connection, x->acked, true});
  if (auto* loop = local_nodes_[id]->loop)
    post_entries(*loop);
  flush();
}

void gateway::post_entries(split_loop& loop) {
  std::vector<node_id> woken;
  {
    std::lock_guard guard{loop.members};
    loop.view.refresh(woken);
    for (auto process : loop.view.receivers())
      if (loop.view.owes(process))
        post(process, {loop.number, loop.view.news_for(process)});
  }
  wake(woken, local::many);
}

void gateway::flush() {
  // The thread that clears the flag sends everything added before it was set.
  if (!unsent_.load(std::memory_order_relaxed) || !unsent_.exchange(false))
    return;
  for (process_id i = 0; i < peers_.size(); ++i)
    if (auto& link = peers_[i].link) {
      post_news(i);
      link->flush();
    }
}

void gateway::close() {
  env_.slot->set(nullptr);
}

gateway::counts gateway::sent() const noexcept {
  return {counts_.messages.load(), counts_.frames.load(),
          counts_.without_messages.load()};
}

// -- from other processes -----------------------------------------------------

void gateway::receive(const caf::node_id& sender, std::string_view bytes,
                      worker& unit) {
  auto from = process_of(sender);
  if (!from)
    return; // not a process of this application
  auto frame = arrived_frame::of(bytes);
  auto address = frame_codec::address_of(frame);
  if (!address)
    return fail(*from, "sent something that cannot be read");
  if (address->session != session_)
    return;
  if (address->from != *from)
    return fail(*from, "sent a message in the name of another process");
  if (address->to != nodes_.self())
    return;
  // Its memory is reused.
  auto& content = content_;
  if (auto problem = codec_.read(frame, unit, content); !problem.empty())
    return fail(*from, "sent " + problem);
  if (auto problem = check(*from, content); !problem.empty())
    return fail(*from, std::move(problem));
  apply_acks(content.news.acks, content.batch.empty());
  auto in_loop = content.news.loop != frame_news::none;
  if (auto messages = content.batch.size(); !in_loop && messages > 0) {
    put_into_inbox(content);
    woken_.emplace_back(content.node, messages);
  }
  deliver(
    content.news.promises, peers_[*from].from_peer, envelope_kind::promise);
  deliver(
    content.news.requests, peers_[*from].to_peer, envelope_kind::bound_request);
  if (in_loop)
    receive_in_loop(*from, content);
  for (auto [node, messages] : woken_)
    env_.wake(node, messages);
  woken_.clear();
  flush();
}

std::optional<process_id> gateway::process_of(const caf::node_id& name) const {
  for (process_id i = 0; i < peers_.size(); ++i)
    if (peers_[i].link && peers_[i].name == name)
      return i;
  return std::nullopt;
}

std::string gateway::check(process_id from, const frame_content& frame) {
  auto& other = peers_[from];
  if (frame.number != ++other.received)
    return "sent its message " + std::to_string(frame.number)
           + " to this process where message " + std::to_string(other.received)
           + " was expected: something was lost in transit";
  if (frame.node == frame_content::none
        ? !frame.batch.empty()
        : frame.node >= nodes_.size() || !local_nodes_[frame.node])
    return "sent a message for a node that is not here";
  auto loop = frame.news.loop;
  for (auto& message : frame.batch) {
    auto problem = check_message(
      from, *local_nodes_[frame.node], loop != frame_news::none, message);
    if (!problem.empty())
      return problem;
  }
  for (auto problem :
       {check_ranges(frame.news.promises, other.from_peer.size()),
        check_ranges(frame.news.requests, other.to_peer.size())})
    if (!problem.empty())
      return problem;
  if (loop != frame_news::none && (loop >= loops_.size() || !loops_[loop]))
    return "sent the view of a loop that is not here";
  if (loop != frame_news::none && frame.node != frame_content::none
      && local_nodes_[frame.node]->loop != loops_[loop].get())
    return "sent the view of another loop";
  return check_acks(from, frame.news.acks);
}

std::string gateway::check_acks(
  process_id from, const std::vector<link_ack>& acks) const {
  for (auto& ack : acks) {
    if (ack.connection >= graph_.topology().connections().size())
      return "acknowledged a connection that does not exist";
    auto& c = graph_.topology().connections()[ack.connection];
    if (nodes_.home(c.target) != from || !local_nodes_[c.source])
      return "acknowledged a connection between other processes";
    if (ack.executed > sent_[ack.connection].load(std::memory_order_acquire))
      return "executed more messages than were sent to it";
  }
  return {};
}

std::string gateway::check_ranges(
  const std::vector<bound_range>& ranges, std::size_t connections) {
  for (auto& x : ranges)
    if (x.count == 0 || x.first >= connections
        || x.count > connections - x.first)
      return "sent a bound for " + plural(x.count, "connection", "connections")
             + " from connection " + std::to_string(x.first) + " on, of "
             + std::to_string(connections);
  return {};
}

std::string gateway::check_message(
  process_id from, local_node& to, bool with_view, const envelope& message) {
  if (message.connection >= to.by_input.size())
    return no_such_connection;
  auto* link = to.by_input[message.connection];
  if (link == nullptr || link->source != from)
    return connection_of_others;
  if (message.kind != envelope_kind::no_more
      && link->physical != (message.kind == envelope_kind::physical))
    return "sent a message of the wrong kind";
  if (message.kind == envelope_kind::last_tag && !link->instant)
    return "sent a value at the last tag over a connection that has none then";
  if (!link->take(message.kind))
    return "sent a value after the end of its connection";
  if (message.kind != envelope_kind::data)
    return {};
  if (message.tag < logical_time{} || message.tag.ns == forever.ns)
    return "sent a message for no tag";
  // Tags of a connection increase strictly.
  if (message.tag <= link->last)
    return "sent a message for tag " + to_string(message.tag)
           + " after one for tag " + to_string(link->last)
           + " over the same connection";
  // The loop's view counts exactly the messages of the loop's connections.
  if (link->in_loop != with_view)
    return "sent a message of a loop without the loop's view, or another "
           "message "
           "with it";
  link->last = message.tag;
  return {};
}

void gateway::count_sent(node_id to, const std::vector<envelope>& batch) {
  auto incoming = graph_.topology().incoming(to);
  // Messages of one connection are usually adjacent.
  for (std::size_t i = 0; i < batch.size();) {
    auto connection = batch[i].connection;
    std::uint64_t count = 0;
    for (; i < batch.size() && batch[i].connection == connection; ++i)
      count += brings_value(batch[i]) ? 1 : 0;
    if (count > 0)
      sent_[incoming[connection]].fetch_add(count, std::memory_order_release);
  }
}

void gateway::apply_acks(const std::vector<link_ack>& acks, bool alone) {
  for (auto& ack : acks) {
    auto& link = graph_.wiring().link_of(ack.connection);
    auto& c = graph_.topology().connections()[ack.connection];
    auto done = link.executed.load(std::memory_order_relaxed);
    auto news = ack.executed - std::min(ack.executed, done);
    if (news > 0) {
      if (c.physical)
        link.waiting.fetch_sub(static_cast<std::uint32_t>(news));
      link.executed.store(ack.executed, std::memory_order_seq_cst);
    }
    if (ack.gone)
      link.gone.store(true, std::memory_order_seq_cst);
    // If there are messages in the frame, their receiver runs first on this
    // thread.
    if (link.sender_waits.exchange(false))
      env_.wake(c.source, alone ? news : local::many);
  }
}

void gateway::put_into_inbox(frame_content& frame) {
  auto& self = *local_nodes_[frame.node];
  auto& batch = frame.batch;
  // Messages of one connection are usually adjacent.
  for (std::size_t i = 0; i < batch.size();) {
    if (!brings_value(batch[i])) {
      ++i;
      continue;
    }
    auto connection = batch[i].connection;
    auto& link = *self.by_input[connection];
    auto before = link.arrived.load(std::memory_order_relaxed);
    auto number = before;
    std::uint64_t requested = 0;
    for (; i < batch.size() && brings_value(batch[i])
           && batch[i].connection == connection;
         ++i) {
      ++number;
      if (batch[i].ack_request)
        requested = number;
    }
    if (link.physical)
      link.link->waiting.fetch_add(
        static_cast<std::uint32_t>(number - before), std::memory_order_relaxed);
    link.arrived.store(number, std::memory_order_release);
    if (requested > 0)
      link.ack_request.store(requested, std::memory_order_release);
  }
  env_.unexecuted->add(
    frame.node, node_access::inbox(*nodes_.find(frame.node)).push(frame.batch));
}

void gateway::deliver(
  const std::vector<bound_range>& ranges, const std::vector<local_end>& channel,
  envelope_kind kind) {
  std::vector<envelope> batch;
  auto add = [&](const local_end& end, logical_time bound) {
    auto& message
      = batch.emplace_back(envelope{.kind = kind, .connection = end.index});
    (kind == envelope_kind::promise ? message.promise : message.tag) = bound;
  };
  for (auto& x : ranges)
    for (auto i = x.first; i < x.first + x.count; ++i) {
      add(channel[i], x.bound);
      if (i + 1 == x.first + x.count || channel[i + 1].node != channel[i].node)
        deliver(channel[i].node, batch);
    }
}

void gateway::deliver(node_id to, std::vector<envelope>& batch) {
  auto messages = batch.size();
  auto are_promises = batch.front().kind == envelope_kind::promise;
  auto& inbox = node_access::inbox(*nodes_.find(to));
  inbox.push(batch);
  // Promises of several connections are not merged in the inbox.
  if (!are_promises || inbox.size() > most_unread || env_.awaits_promises(to))
    woken_.emplace_back(to, messages);
}

void gateway::receive_in_loop(process_id from, frame_content& frame) {
  auto& loop = *loops_[frame.news.loop];
  std::vector<node_id> woken;
  auto messages = frame.batch.size();
  auto ok = false;
  {
    std::lock_guard guard{loop.members};
    if (frame.node != frame_content::none) {
      auto member = member_of(loop.members, frame.node);
      auto incoming = graph_.topology().incoming(frame.node);
      for (auto& message : frame.batch)
        if (message.kind == envelope_kind::data) {
          loop.members.in_transit(member, message.tag);
          loop.view.received(incoming[message.connection]);
        }
      put_into_inbox(frame);
      woken.push_back(frame.node);
    }
    ok = loop.view.merge(frame.news.view, woken);
  }
  if (!ok) {
    fail(from, "sent a view of a loop that cannot be true");
    return;
  }
  // A node that was woken posts the entries after it runs. Without one, they
  // are posted now.
  if (!wake(woken, messages))
    post_entries(loop);
}

// -- implementation -----------------------------------------------------------

frame_address gateway::address_to(process_id to) const noexcept {
  return {session_, nodes_.self(), to};
}

bool gateway::wake(const std::vector<node_id>& nodes, std::size_t messages) {
  auto result = false;
  for (auto id : nodes)
    if (local_nodes_[id])
      result = env_.wake(id, messages) || result;
  return result;
}

void gateway::fail(process_id from, std::string problem) {
  if (!failed_.exchange(true))
    env_.failed(from, std::move(problem));
}

} // namespace caf::rosia::detail
