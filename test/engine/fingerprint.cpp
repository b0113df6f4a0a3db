// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "fingerprint.hpp"

#include "network.hpp"
#include "random.hpp"

#include <algorithm>
#include <array>
#include <tuple>
#include <type_traits>
#include <vector>

namespace engine_test {

namespace {

// An explicit instantiation may name private members. So the engine needs no
// friend declarations for the comparison of states.

template <class Tag, auto... Members>
struct reveal {
  friend constexpr auto members_of(Tag) {
    return std::tuple{Members...};
  }
};

struct node_members {
  friend constexpr auto members_of(node_members);
};

template struct reveal<node_members, &engine::node::parts_,
                       &engine::node::requests_, &engine::node::execution_>;

struct execution_members {
  friend constexpr auto members_of(execution_members);
};

template struct reveal<
  execution_members, &engine::execution::phase_, &engine::execution::started_,
  &engine::execution::executed_any_, &engine::execution::logical_>;

struct bounds_members {
  friend constexpr auto members_of(bounds_members);
};

template struct reveal<bounds_members, &engine::bounds::lbts_>;

struct barrier_members {
  friend constexpr auto members_of(barrier_members);
};

template struct reveal<barrier_members, &engine::barrier::terms_>;

struct last_tag_members {
  friend constexpr auto members_of(last_tag_members);
};

template struct reveal<last_tag_members, &engine::last_tag::messages_>;

struct loop_member_members {
  friend constexpr auto members_of(loop_member_members);
};

template struct reveal<loop_member_members, &engine::loop_member::known_>;

struct upstreams_members {
  friend constexpr auto members_of(upstreams_members);
};

template struct reveal<
  upstreams_members, &engine::upstreams::open_,
  &engine::upstreams::open_physical_, &engine::upstreams::closed_>;

struct flow_control_members {
  friend constexpr auto members_of(flow_control_members);
};

template struct reveal<flow_control_members, &engine::flow_control::saturated_>;

struct outbox_members {
  friend constexpr auto members_of(outbox_members);
};

template struct reveal<outbox_members, &engine::outbox::added_>;

struct requests_members {
  friend constexpr auto members_of(requests_members);
};

template struct reveal<requests_members, &engine::bound_requests::addressees_>;

struct resumption_members {
  friend constexpr auto members_of(resumption_members);
};

template struct reveal<resumption_members, &engine::resumption_queue::only_,
                       &engine::resumption_queue::several_>;

struct event_queue_members {
  friend constexpr auto members_of(event_queue_members);
};

template struct reveal<event_queue_members, &engine::event_queue::lane_,
                       &engine::event_queue::lane_begin_>;

struct stamped_members {
  friend constexpr auto members_of(stamped_members);
};

template struct reveal<stamped_members, &engine::stamped_queue::values_,
                       &engine::stamped_queue::last_stamp_>;

struct window_members {
  friend constexpr auto members_of(window_members);
};

template struct reveal<window_members, &engine::send_window::executed_,
                       &engine::send_window::in_flight_>;

struct channel_members {
  friend constexpr auto members_of(channel_members);
};

template struct reveal<
  channel_members, &engine::channel_clock::last_arrival_,
  &engine::channel_clock::announced_ns_,
  &engine::channel_clock::announced_microstep_,
  &engine::channel_clock::basis_events_, &engine::channel_clock::requested_ns_,
  &engine::channel_clock::requested_microstep_>;

struct unsent_members {
  friend constexpr auto members_of(unsent_members);
};

template struct reveal<unsent_members, &engine::unsent_messages::end_>;

struct loop_time_table_members {
  friend constexpr auto members_of(loop_time_table_members);
};

template struct reveal<
  loop_time_table_members, &engine::loop_time_table::entries_,
  &engine::loop_time_table::active_>;

struct negotiation_members {
  friend constexpr auto members_of(negotiation_members);
};

template struct reveal<
  negotiation_members, &engine::negotiation::alive_,
  &engine::negotiation::unanswered_, &engine::negotiation::done_,
  &engine::negotiation::stage_, &engine::negotiation::aborted_,
  &engine::negotiation::status_, &engine::negotiation::proposal_,
  &engine::negotiation::final_>;

struct negotiation_highest {
  friend constexpr auto members_of(negotiation_highest);
};
template struct reveal<negotiation_highest, &engine::negotiation::highest_>;

struct negotiation_queues {
  friend constexpr auto members_of(negotiation_queues);
};

template struct reveal<negotiation_queues, &engine::negotiation::nodes_,
                       &engine::negotiation::requests_>;

template <class Tag, class T>
void add_members(hasher& h, const T& x) {
  std::apply([&](auto... member) { h.add(x.*member...); }, members_of(Tag{}));
}

void add_link(hasher& h, const engine::link& x) {
  h.add(x.executed.load(), x.waiting.load(), x.sender_waits.load(),
        x.gone.load());
}

/// Returns the message of a connection that is in the lane.
const engine::value& in_lane(
  const engine::event_queue& events, std::uint32_t connection) {
  if (auto& apart = events.direct(); apart.port != nullptr)
    return apart.content;
  auto [lane, begin] = members_of(event_queue_members{});
  auto i = events.*begin;
  while ((events.*lane)[i].connection != connection)
    ++i;
  return (events.*lane)[i].content;
}

/// Adds messages by connection, independent of their place in the event queue.
void add_connections(hasher& h, const engine::node_config& config,
                     const engine::event_queue& events) {
  for (std::uint32_t k = 0; k < config.in.size(); ++k) {
    auto& c = config.in[k];
    h.add(c.no_more, c.done, c.window.reported(), c.window.executed(),
          events.size(c, k));
    if (events.is_in_lane(k))
      h.add(events.tag_of(c, k, 0), number_in(in_lane(events, k)));
    for (std::size_t i = 0; i < c.queue.size(); ++i)
      h.add(c.queue[i].tag, number_in(c.queue[i].content));
    add_link(h, *c.shared);
  }
  for (auto& c : config.out) {
    auto [executed, in_flight] = members_of(window_members{});
    add_members<channel_members>(h, c.clock);
    add_members<unsent_members>(h, c.unsent);
    h.add(c.window.*executed, c.window.size());
    for (std::size_t i = 0; i < c.window.size(); ++i)
      h.add((c.window.*in_flight)[i]);
    add_link(h, *c.shared);
  }
  for (auto x : config.outputs)
    h.add(x->written, x->promised);
}

/// Adds the events other than messages, which are added by connection.
void add_events(hasher& h, const engine::event_queue& x, token_namer name_of) {
  auto& yielded = x.resumptions();
  h.add(yielded.size());
  // They are executed by tag, then in the order of their numbers.
  std::vector<std::tuple<logical_time, std::uint64_t, std::uint32_t, void*>>
    resumptions;
  auto [first, others] = members_of(resumption_members{});
  if (auto& only = yielded.*first; only.token != nullptr)
    resumptions.emplace_back(only.when.tag, 0, only.when.reaction, only.token);
  if (auto& several = yielded.*others)
    for (auto& [when, instance] : several->instances)
      resumptions.emplace_back(
        when.tag, instance.number, when.reaction, instance.token);
  std::sort(resumptions.begin(), resumptions.end());
  for (auto& [tag, number, reaction, token] : resumptions)
    h.add(tag, reaction, name_of(token));
  if (auto* scheduled = x.scheduled())
    for (auto& event : scheduled->list())
      h.add(event.tag, event.index, number_in(event.content));
  auto [values, last_stamp] = members_of(stamped_members{});
  static const engine::stamped_queue none;
  auto& queue = x.stamped() ? *x.stamped() : none;
  auto& stamped = queue.*values;
  h.add(queue.*last_stamp, stamped.size());
  for (std::size_t i = 0; i < stamped.size(); ++i)
    h.add(stamped[i].tag, stamped[i].kind, stamped[i].index,
          number_in(stamped[i].content));
}

void add_bounds(hasher& h, const engine::bounds& x,
                const engine::node_config& config) {
  add_members<bounds_members>(h, x);
  auto [terms] = members_of(barrier_members{});
  static const std::remove_reference_t<decltype(*(x.barrier().*terms))> none{};
  auto& stops = x.barrier().*terms ? *(x.barrier().*terms) : none;
  h.add(stops.answer, stops.own_request, stops.final, stops.requested);
  if (auto* last = x.barrier().last_tag()) {
    auto [messages] = members_of(last_tag_members{});
    auto& all = last->*messages;
    h.add(last->reported(), all.size());
    for (auto& message : all)
      h.add(message.connection, number_in(message.content));
  }
  auto [known] = members_of(loop_member_members{});
  if (auto& loop = x.loop().*known)
    h.add(loop->bound, loop->clock, loop->ended, loop->waits);
  add_members<upstreams_members>(h, x.upstreams());
  for (std::uint32_t i = 0; i < config.in.size(); ++i)
    h.add(x.upstreams().promise_of(i));
}

/// Returns random numbers that are the same in each run.
template <std::size_t N>
constexpr std::array<std::uint64_t, N> make_keys() {
  std::array<std::uint64_t, N> result{};
  random_source numbers{0};
  for (auto& x : result)
    x = numbers.next();
  return result;
}

} // namespace

/// A universal hash of words: random numbers are added to pairs of words, the
/// pairs are multiplied, and the products are added. Different sequences of
/// equal length collide with a probability of 2^-64. Computed twice, with
/// different numbers. The products do not depend on each other.
void hasher::absorb() noexcept {
  static constexpr auto random_numbers = make_keys<block + 2>();
  auto* keys = random_numbers.data();
  auto words = count_;
  if (count_ % 2 != 0)
    words_[count_++] = 0;
  wide first = 0;
  wide second = 0;
  for (std::size_t i = 0; i < count_; i += 2) {
    auto x = words_[i];
    auto y = words_[i + 1];
    first += static_cast<wide>(x + keys[i]) * (y + keys[i + 1]);
    second += static_cast<wide>(x + keys[i + 2]) * (y + keys[i + 3]);
  }
  count_ = 0;
  absorb(words);
  for (auto x : {first, second}) {
    absorb(static_cast<std::uint64_t>(x));
    absorb(static_cast<std::uint64_t>(x >> 64));
  }
}

void hasher::absorb(std::uint64_t word) noexcept {
  auto fold = [](std::uint64_t x, std::uint64_t y) {
    auto product = static_cast<wide>(x) * y;
    return static_cast<std::uint64_t>(product)
           ^ static_cast<std::uint64_t>(product >> 64) ^ (x << 1);
  };
  state_.first
    = fold(state_.first ^ word ^ 0x9e3779b97f4a7c15, 0xd6e8feb86659fd93);
  state_.second
    = fold(state_.second + word + 0xa0761d6478bd642f, 0xe7037ed1a0b428db);
}

void add_state(hasher& h, const engine::node& x, token_namer name_of) {
  auto [state, requests, execution] = members_of(node_members{});
  auto& parts = x.*state;
  auto& config = x.config();
  auto& bounds = parts.bounds;
  h.add(parts.clock.wake_at());
  add_members<execution_members>(h, x.*execution);
  add_members<flow_control_members>(h, parts.flow);
  add_members<outbox_members>(h, parts.outbox);
  add_bounds(h, bounds, config);
  // Without a clock in its promises, the node does not read the time again.
  if (config.realtime || bounds.upstreams().clocked())
    h.add(parts.clock.elapsed());
  add_events(h, parts.events, name_of);
  auto [addressees] = members_of(requests_members{});
  if (auto& targets = (x.*requests).*addressees) {
    h.add(targets->requested_bounds.size());
    for (auto& tag : targets->requested_bounds)
      h.add(tag);
    for (auto& addressee : targets->all)
      h.add(addressee.requested_bound);
  }
  add_connections(h, config, parts.events);
}

void add_state(hasher& h, const engine::loop_time_table& x) {
  auto [entries, active] = members_of(loop_time_table_members{});
  for (auto& e : x.*entries) {
    h.add(e.earliest, e.transit, e.held_by, e.holds_back, e.next, e.previous);
    // An entry that waits for nothing does not use this field.
    if (e.held_by != ~engine::loop_time_table::member{0})
      h.add(e.awaited);
  }
  // Their order determines for which member a node waits.
  h.add((x.*active).size());
  for (auto member : x.*active)
    h.add(member);
}

void add_state(hasher& h, const engine::negotiation& x) {
  add_members<negotiation_members>(h, x);
  auto& highest = x.*std::get<0>(members_of(negotiation_highest{}));
  h.add(highest.answered, highest.left, highest.done);
  auto [nodes, requests] = members_of(negotiation_queues{});
  for (auto node : x.*nodes)
    h.add(node);
  h.add((x.*requests).size());
  for (auto& proposal : x.*requests)
    h.add(proposal);
}

} // namespace engine_test
