// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "fingerprint.hpp"

#include "network.hpp"

#include <algorithm>
#include <tuple>

namespace engine_test {

namespace {

// An explicit instantiation may name private members: so the engine need not
// know of those who compare its states.

template <class Tag, auto... Members>
struct reveal {
  friend constexpr auto members_of(Tag) {
    return std::tuple{Members...};
  }
};

struct node_members {
  friend constexpr auto members_of(node_members);
};

template struct reveal<
  node_members, &engine::node::phase_, &engine::node::started_,
  &engine::node::closed_, &engine::node::executed_any_,
  &engine::node::loop_ended_, &engine::node::waits_in_loop_,
  &engine::node::logical_, &engine::node::stat0_, &engine::node::loop_bound_,
  &engine::node::barrier_, &engine::node::final_, &engine::node::requested_,
  &engine::node::published_, &engine::node::last_stamp_,
  &engine::node::wake_at_, &engine::node::open_, &engine::node::open_physical_,
  &engine::node::crowded_, &engine::node::unsent_>;

struct node_queues {
  friend constexpr auto members_of(node_queues);
};

template struct reveal<
  node_queues, &engine::node::clocked_, &engine::node::elapsed_,
  &engine::node::outside_, &engine::node::waiting_, &engine::node::physical_,
  &engine::node::asker_>;

struct ledger_members {
  friend constexpr auto members_of(ledger_members);
};

template struct reveal<ledger_members, &engine::ledger::entries_,
                       &engine::ledger::active_>;

struct negotiation_members {
  friend constexpr auto members_of(negotiation_members);
};

template struct reveal<
  negotiation_members, &engine::negotiation::alive_,
  &engine::negotiation::unanswered_, &engine::negotiation::stage_,
  &engine::negotiation::forced_, &engine::negotiation::status_,
  &engine::negotiation::proposal_, &engine::negotiation::highest_,
  &engine::negotiation::highest_left_, &engine::negotiation::final_>;

struct negotiation_queues {
  friend constexpr auto members_of(negotiation_queues);
};

template struct reveal<negotiation_queues, &engine::negotiation::nodes_,
                       &engine::negotiation::requests_>;

template <class Tag, class T>
void add_members(hasher& h, const T& x) {
  std::apply(
    [&](auto... member) { (h.add(x.*member), ...); }, members_of(Tag{}));
}

void add_connections(hasher& h, const engine::node_config& config) {
  for (auto& c : config.in) {
    h.add(c.no_more);
    h.add(c.reported);
    h.add(c.asked);
    h.add(c.executed);
    h.add(c.queue.size());
    for (std::size_t i = 0; i < c.queue.size(); ++i) {
      h.add(c.queue[i].tag);
      h.add(number_in(*c.queue[i].content));
    }
    h.add(c.shared->executed.load());
    h.add(c.shared->waiting.load());
    h.add(c.shared->paused.load());
    h.add(c.shared->gone.load());
  }
  for (auto& c : config.out) {
    h.add(c.last);
    h.add(c.announced);
    h.add(c.base);
    h.add(c.asked);
    h.add(c.pending);
    h.add(c.executed);
    h.add(c.in_flight.size());
    for (std::size_t i = 0; i < c.in_flight.size(); ++i)
      h.add(c.in_flight[i]);
    h.add(c.shared->executed.load());
    h.add(c.shared->waiting.load());
    h.add(c.shared->paused.load());
    h.add(c.shared->gone.load());
  }
  for (auto x : config.outputs) {
    h.add(x->written);
    h.add(x->promised);
  }
}

} // namespace

void add_state(hasher& h, const engine::node& x,
               const std::function<std::uint64_t(void*)>& name_of) {
  add_members<node_members>(h, x);
  auto [clocked, elapsed, outside, waiting, physical, asker]
    = members_of(node_queues{});
  auto& config = x.config();
  // Without a clock in it the node never looks at the time again.
  if (config.realtime || x.*clocked)
    h.add(x.*elapsed);
  for (std::size_t i = 0; i < config.in.size(); ++i)
    h.add((x.*outside)[i]);
  // They are executed by tag, and then in the order of their numbers.
  auto resumptions = x.*waiting;
  std::sort(resumptions.begin(), resumptions.end(), [](auto& l, auto& r) {
    return r > l;
  });
  h.add(resumptions.size());
  for (auto& r : resumptions) {
    h.add(r.tag);
    h.add(r.reaction);
    h.add(name_of(r.token));
  }
  auto& stamped = x.*physical;
  h.add(stamped.size());
  for (std::size_t i = 0; i < stamped.size(); ++i) {
    h.add(stamped[i].tag);
    h.add(stamped[i].what);
    h.add(stamped[i].index);
    h.add(number_in(*stamped[i].content));
  }
  if (auto& who = x.*asker) {
    h.add(who->wants.size());
    for (auto& tag : who->wants)
      h.add(tag);
  }
  add_connections(h, config);
}

void add_state(hasher& h, const engine::ledger& x) {
  auto [entries, active] = members_of(ledger_members{});
  for (auto& e : x.*entries) {
    h.add(e.earliest);
    h.add(e.transit);
    h.add(e.held_by);
    // Who waits for nothing has forgotten what it waited for.
    if (e.held_by != ~engine::ledger::member{0})
      h.add(e.want);
    h.add(e.holds_back);
    h.add(e.next);
    h.add(e.previous);
  }
  // Their order decides on whom somebody waits for.
  h.add((x.*active).size());
  for (auto member : x.*active)
    h.add(member);
}

void add_state(hasher& h, const engine::negotiation& x) {
  add_members<negotiation_members>(h, x);
  auto [nodes, requests] = members_of(negotiation_queues{});
  for (auto node : x.*nodes)
    h.add(node);
  h.add((x.*requests).size());
  for (auto& proposal : x.*requests)
    h.add(proposal);
}

} // namespace engine_test
