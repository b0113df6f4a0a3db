// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "fingerprint.hpp"

#include "network.hpp"

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

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
  &engine::node::barrier_, &engine::node::own_barrier_, &engine::node::final_,
  &engine::node::requested_, &engine::node::published_,
  &engine::node::last_stamp_, &engine::node::wake_at_, &engine::node::open_,
  &engine::node::open_physical_, &engine::node::saturated_,
  &engine::node::unsent_>;

struct node_queues {
  friend constexpr auto members_of(node_queues);
};

template struct reveal<
  node_queues, &engine::node::clocked_, &engine::node::elapsed_,
  &engine::node::outside_, &engine::node::waiting_, &engine::node::physical_,
  &engine::node::requester_>;

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
  &engine::negotiation::unanswered_, &engine::negotiation::stage_,
  &engine::negotiation::forced_, &engine::negotiation::status_,
  &engine::negotiation::proposal_, &engine::negotiation::highest_,
  &engine::negotiation::highest_left_, &engine::negotiation::final_>;

struct negotiation_queues {
  friend constexpr auto members_of(negotiation_queues);
};

template struct reveal<negotiation_queues, &engine::negotiation::nodes_,
                       &engine::negotiation::requests_>;

struct scratch_functions {
  friend constexpr auto members_of(scratch_functions);
};

template struct reveal<scratch_functions, &engine::scratch::of_this_thread>;

template <class Tag, class T>
void add_members(hasher& h, const T& x) {
  std::apply([&](auto... member) { h.add(x.*member...); }, members_of(Tag{}));
}

void add_link(hasher& h, const engine::link& x) {
  h.add(x.executed.load(), x.waiting.load(), x.paused.load(), x.gone.load());
}

void add_connections(hasher& h, const engine::node_config& config) {
  for (auto& c : config.in) {
    h.add(c.no_more, c.reported, c.asked, c.executed, c.queue.size());
    for (std::size_t i = 0; i < c.queue.size(); ++i)
      h.add(c.queue[i].tag, number_in(*c.queue[i].content));
    add_link(h, *c.shared);
  }
  for (auto& c : config.out) {
    h.add(c.last, c.announced, c.base, c.asked, c.pending, c.executed,
          c.in_flight.size());
    for (std::size_t i = 0; i < c.in_flight.size(); ++i)
      h.add(c.in_flight[i]);
    add_link(h, *c.shared);
  }
  for (auto x : config.outputs)
    h.add(x->written, x->promised);
}

/// Random numbers, always the same.
template <std::size_t N>
constexpr std::array<std::uint64_t, N> make_keys() {
  std::array<std::uint64_t, N> result{};
  std::uint64_t state = 0;
  for (auto& x : result) {
    x = state += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    x ^= x >> 31;
  }
  return result;
}

} // namespace

/// Of two sequences of words of the same length, pairs of which are multiplied
/// with random numbers added, and the products added: they are the same for two
/// different ones once in 2^64 times. That is done twice, with other numbers.
/// No product has to wait for another.
void hasher::absorb() noexcept {
  static constexpr auto keys = make_keys<block + 2>();
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

void add_state(hasher& h, const engine::node& x,
               const std::function<std::uint64_t(void*)>& name_of) {
  add_members<node_members>(h, x);
  auto [clocked, elapsed, outside, waiting, physical, requester]
    = members_of(node_queues{});
  auto& config = x.config();
  // Without a clock in it the node never looks at the time again.
  if (config.realtime || x.*clocked)
    h.add(x.*elapsed);
  for (std::size_t i = 0; i < config.in.size(); ++i)
    h.add((x.*outside)[i]);
  h.add((x.*waiting).size());
  if (!(x.*waiting).empty()) {
    // They are executed by tag, and then in the order of their numbers.
    std::vector<std::tuple<logical_time, std::uint64_t, std::uint32_t, void*>>
      resumptions;
    for (auto& [when, r] : x.*waiting)
      resumptions.emplace_back(when.tag, r.number, when.reaction, r.token);
    std::sort(resumptions.begin(), resumptions.end());
    for (auto& [tag, number, reaction, token] : resumptions)
      h.add(tag, reaction, name_of(token));
  }
  auto& stamped = x.*physical;
  h.add(stamped.size());
  for (std::size_t i = 0; i < stamped.size(); ++i)
    h.add(stamped[i].tag, stamped[i].what, stamped[i].index,
          number_in(*stamped[i].content));
  if (auto& who = x.*requester) {
    h.add(who->requested_bounds.size());
    for (auto& tag : who->requested_bounds)
      h.add(tag);
  }
  add_connections(h, config);
}

void add_state(hasher& h, const engine::loop_time_table& x) {
  auto [entries, active] = members_of(loop_time_table_members{});
  for (auto& e : x.*entries) {
    h.add(e.earliest, e.transit, e.held_by, e.holds_back, e.next, e.previous);
    // Who waits for nothing has forgotten what it waited for.
    if (e.held_by != ~engine::loop_time_table::member{0})
      h.add(e.want);
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

engine::scratch& scratch_of_this_thread() {
  auto [get] = members_of(scratch_functions{});
  return get();
}

} // namespace engine_test
