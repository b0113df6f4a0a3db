// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "simulator.hpp"

#include <algorithm>

namespace engine_test {

namespace {

/// A simulation with more steps does not end.
constexpr std::uint64_t step_limit = 10'000'000;

/// Number of steps after which the deadline of a stage with a hanging node
/// passes.
constexpr std::uint64_t patience = 2000;

/// Maximum number of demands. More of them would make every step of a large
/// application wait for all nodes.
constexpr std::size_t most_demands = 20;

/// Removes an element from a vector, without keeping the order.
template <class T>
T take(std::vector<T>& xs, std::size_t index) {
  auto result = std::move(xs[index]);
  xs[index] = std::move(xs.back());
  xs.pop_back();
  return result;
}

} // namespace

// -- constructors, destructors ------------------------------------------------

simulator::simulator(const plan& planned, std::uint64_t seed,
                     const simulation_options& options)
  : simulated_application(planned), options_(options), rng_(seed),
    requested_(planned.outside_requests.size()),
    saved_code_(planned.nodes.size()), owes_checkpoint_(planned.nodes.size()),
    last_of_left_(planned.nodes.size(), never) {
  auto size = static_cast<node_id>(planned.nodes.size());
  if (options.checkpoint_period)
    take_checkpoints(*options.checkpoint_period,
                     options.from ? options.from->tag : logical_time{});
  if (options.from)
    continue_from(*options.from);
  disturbance_ = rng_.pick({0u, 2u, 10u});
  auto lazy = rng_.pick({0u, 0u, 30u});
  for (node_id i = 0; i < size; ++i) {
    unstarted_.push_back(i);
    laziness_.push_back(rng_.chance(lazy) ? 95 : 0);
  }
  join_loops();
  if (options.regroups) {
    regrouping_ = rng_.pick({1u, 5u, 30u});
    fuse_loops();
    for (auto n = rng_.below(2 * size + 1); n > 0; --n)
      regroup();
  }
  announce_stop();
}

// -- running ------------------------------------------------------------------

void simulator::run() {
  while (!over()) {
    if (++steps_ > step_limit)
      throw broken_rule("the simulation does not end, " + situation());
    outside_events();
    if (rng_.chance(2))
      set_clock(clock() + rng_.below(6));
    if (rng_.chance(regrouping_))
      regroup();
    if (demanded_.size() < most_demands && options_.demands > 0
        && rng_.chance(options_.demands))
      demand_checkpoint();
    if (!step())
      wait();
  }
  check_end();
  check_checkpoints();
  stamps_ = stamps_of(*this, plan_);
}

bool simulator::step() {
  // Nodes, channels and the coordinator take turns at random.
  auto kinds = rng_.below(8);
  for (auto attempt = 0; attempt < 4; ++attempt, ++kinds) {
    switch (kinds % 8) {
      case 0:
        if (serve_coordinator() || serve_node())
          return true;
        break;
      case 1:
      case 2:
        if (start_one())
          return true;
        break;
      case 3:
      case 4:
        if (serve_channel())
          return true;
        break;
      default:
        if (activate_one())
          return true;
        break;
    }
  }
  return serve_coordinator() || serve_node() || serve_channel()
         || activate_one() || start_one();
}

bool simulator::start_one() {
  if (unstarted_.empty())
    return false;
  auto index = rng_.below(unstarted_.size());
  if (!pauses(unstarted_[index]))
    network::start(take(unstarted_, index));
  return true;
}

void simulator::fuse_loops() {
  for (node_id x = 0; x < size(); ++x)
    if (plan_.processes.empty() && at(x).group() == nullptr && rng_.chance(50))
      for (auto y : loop_of(x))
        if (y != x && !has_max_wait(x) && !has_max_wait(y))
          fuse(x, y);
}

void simulator::regroup() {
  auto x = static_cast<node_id>(rng_.below(size()));
  auto y = static_cast<node_id>(rng_.below(size()));
  if (left(x) || left(y) || is_stuck(x) || is_stuck(y))
    return;
  auto is_part = [&](node_id id) {
    auto* group = at(id).group();
    return group != nullptr && group->is_part();
  };
  if (is_part(x) || is_part(y))
    return;
  auto members_of_x = group_of(x);
  auto is_fixed = std::ranges::any_of(members_of_x, [this](auto i) {
    return is_inseparable(i);
  });
  if (auto* group = at(x).group();
      group != nullptr && group->size() > 1 && !is_fixed && group->is_loop()
      && rng_.chance(50)) {
    if (divide(x, 2 + rng_.below(std::min<std::size_t>(group->size() - 1, 4))))
      ++divided_;
    return;
  }
  if (members_of_x.size() > 1 && rng_.chance(50)) {
    // The nodes of a loop without delay, and those around it, stay together.
    std::vector<node_id> leaving;
    for (auto i : members_of_x)
      if (rng_.chance(50) && !is_inseparable(i))
        leaving.push_back(i);
    if (leaving.empty())
      return;
    split(leaving);
    ++split_;
  } else if (x != y
             && (at(x).group() == nullptr || at(x).group() != at(y).group())
             && !has_max_wait(x) && !has_max_wait(y)
             && (plan_.processes.empty()
                 || plan_.processes[x] == plan_.processes[y])) {
    fuse(x, y, at(y).group() == nullptr && !vanished(y) && rng_.chance(30));
    ++fused_;
  }
}

bool simulator::has_max_wait(node_id id) const {
  return at(id).max_waits() != nullptr;
}

bool simulator::pauses(node_id id) const {
  auto group = group_of(id);
  return std::any_of(plan_.pauses.begin(), plan_.pauses.end(), [&](auto& x) {
    return x.from <= steps_ && steps_ < x.until
           && std::find(group.begin(), group.end(), x.node) != group.end();
  });
}

bool simulator::is_stuck(node_id id) const {
  return stuck_
         && (*stuck_ == id
             || (at(id).group() != nullptr
                 && at(id).group() == at(*stuck_).group()));
}

bool simulator::group_is_active(node_id id) const {
  auto group = group_of(id);
  return std::any_of(group.begin(), group.end(), [this](auto i) {
    return is_active(i);
  });
}

void simulator::disturb() {
  ++depth_;
  switch (rng_.below(4)) {
    case 0:
      set_clock(clock() + rng_.below(3));
      outside_calls();
      break;
    case 1:
      serve_channel();
      break;
    default:
      activate_one();
      break;
  }
  --depth_;
}

bool simulator::serve_channel() {
  if (busy_channels_.empty())
    return false;
  auto index = rng_.below(busy_channels_.size());
  auto [from, to] = busy_channels_[index];
  for (auto n = rng_.pick({1u, 2u, 100u}); n > 0 && deliver(from, to); --n)
    ; // nop
  if (!in_transit(from, to))
    take(busy_channels_, index);
  return true;
}

bool simulator::activate_one() {
  if (ready_.empty())
    return false;
  auto index = rng_.below(ready_.size());
  auto id = ready_[index];
  if (left(id) || vanished(id) || is_stuck(id) || !scheduled(id)) {
    take(ready_, index);
    return true;
  }
  if (group_is_active(id) || pauses(id) || rng_.chance(laziness_[id]))
    return depth_ == 0;
  take(ready_, index);
  activate(id, rng_.pick({1u, 1u, 2u, 5u, 100u}));
  return true;
}

bool simulator::serve_node() {
  while (!with_notices_.empty()) {
    auto id = take(with_notices_, rng_.below(with_notices_.size()));
    if (vanished(id) || is_stuck(id))
      continue;
    if (pauses(id)) {
      with_notices_.push_back(id);
      return true;
    }
    if (notices_[id].size() > 1)
      with_notices_.push_back(id);
    simulated_application::serve_node(id);
    return true;
  }
  return false;
}

bool simulator::serve_coordinator() {
  if (with_reports_.empty())
    return false;
  auto id = take(with_reports_, rng_.below(with_reports_.size()));
  if (reports_[id].size() > 1)
    with_reports_.push_back(id);
  simulated_application::serve_coordinator(id);
  return true;
}

// -- checkpoints --------------------------------------------------------------

void simulator::continue_from(const checkpoint& from) {
  negotiation_.begin_at(from.tag);
  rules_.begin_at(from.tag);
  network::restore(from.tag, from.parts);
  for (node_id i = 0; i < size(); ++i)
    nodes_[i]->restore(from.code[i]);
}

void simulator::demand_checkpoint() {
  if (checkpoint_answers_owed_ > 0)
    return;
  // A node that left counts with its last tag, because it has no part of
  // earlier ones.
  demanded_tag_ = never;
  for (node_id i = 0; i < size(); ++i)
    if (last_of_left_[i] != never) {
      demanded_tag_ = std::max(demanded_tag_, last_of_left_[i]);
    } else {
      ++checkpoint_answers_owed_;
      owes_checkpoint_[i] = true;
      notify(i, {notice::kind::ask_checkpoint, never, never});
    }
}

void simulator::answer_checkpoint(node_id id, logical_time tag) {
  if (!owes_checkpoint_[id])
    return;
  owes_checkpoint_[id] = false;
  demanded_tag_ = std::max(demanded_tag_, tag);
  if (--checkpoint_answers_owed_ > 0)
    return;
  demanded_.push_back(demanded_tag_);
  for (node_id i = 0; i < size(); ++i)
    if (last_of_left_[i] == never)
      notify(i, {notice::kind::take_checkpoint, demanded_tag_, never});
}

std::optional<checkpoint> simulator::find_checkpoint(
  logical_time tag, random_source& rng) const {
  checkpoint result;
  result.tag = tag;
  for (node_id i = 0; i < size(); ++i) {
    std::vector<std::size_t> fitting;
    auto& parts = parts_of(i);
    for (std::size_t j = 0; j < parts.size(); ++j)
      if (parts[j].covers(tag))
        fitting.push_back(j);
    if (fitting.empty())
      return std::nullopt;
    auto index = rng.pick(fitting);
    result.parts.push_back(parts[index]);
    result.code.push_back(saved_code_[i][index]);
  }
  return result;
}

void simulator::check_checkpoints() const {
  if (!options_.checkpoint_period || aborted())
    return;
  auto last = logical_time{};
  for (node_id i = 0; i < size(); ++i)
    last = std::max(last, at(i).last_before_end());
  auto tags = demanded_;
  // A node beyond the final tag ended by itself, and has no part at it.
  if (last <= final_tag())
    tags.push_back(final_tag() == forever ? last : final_tag());
  if (auto period = *options_.checkpoint_period)
    for (auto i = 1; i < 100 && i * period < last.ns; ++i)
      if (!options_.from || options_.from->tag.ns < i * period)
        tags.push_back({i * period, 0});
  for (auto tag : tags) {
    if (tag > final_tag())
      continue;
    for (node_id i = 0; i < size(); ++i)
      if (std::none_of(parts_of(i).begin(), parts_of(i).end(), [&](auto& x) {
            return x.covers(tag);
          }))
        throw broken_rule(
          "node " + std::to_string(i) + " has no part of the checkpoint at "
          + to_string(tag));
  }
}

void simulator::outside_calls() {
  while (
    next_call_ < plan_.calls.size() && plan_.calls[next_call_].at <= clock())
    call_next();
}

void simulator::outside_events() {
  outside_calls();
  faults();
  for (std::size_t i = 0; i < requested_.size(); ++i) {
    auto& x = plan_.outside_requests[i];
    if (requested_[i] || (x.at_step ? *x.at_step > steps_ : x.at > clock()))
      continue;
    requested_[i] = true;
    request(x.proposal, 0);
  }
  if (plan_.vanishes && plan_.vanishes->first == steps_) {
    auto id = plan_.vanishes->second;
    if (!left(id)) {
      vanish(id);
      if (auto i = std::find(unstarted_.begin(), unstarted_.end(), id);
          i != unstarted_.end())
        unstarted_.erase(i);
    }
  }
}

void simulator::faults() {
  using stage = engine::negotiation::stage;
  if (plan_.second_signal == steps_)
    second_signal();
  if (auto& x = plan_.sticks; x && x->first == steps_) {
    stuck_ = x->second;
    stage_began_ = steps_;
    std::erase_if(unstarted_, [this](auto id) { return is_stuck(id); });
  }
  for (auto step : plan_.overdue)
    if (step == steps_) {
      check_late_deadlines();
      auto current = negotiation_.current();
      if (current == stage::asking || current == stage::executing)
        overdue();
    }
  if (stuck_ && steps_ > stage_began_ + patience)
    lose_patience();
}

void simulator::lose_patience() {
  stage_began_ = steps_;
  if (negotiation_.current() == engine::negotiation::stage::running)
    request(never, 0);
  else
    overdue();
}

void simulator::wait() {
  check_lateness();
  auto next = next_wake();
  if (next != engine::node::no_wake && !stuck_)
    check_wait(next);
  if (next_call_ < plan_.calls.size())
    next = std::min(next, plan_.calls[next_call_].at);
  for (std::size_t i = 0; i < requested_.size(); ++i) {
    auto& x = plan_.outside_requests[i];
    if (requested_[i])
      continue;
    if (x.at_step) {
      // No event happens before it.
      requested_[i] = true;
      request(x.proposal, 0);
      return;
    }
    next = std::min(next, x.at);
  }
  if (next == engine::node::no_wake && stuck_) {
    lose_patience();
    return;
  }
  if (next == engine::node::no_wake) {
    throw broken_rule("no node continues, " + situation());
  }
  ++waits_;
  // Repeated reads of the clock without effect are polling. Only traces show
  // all effects.
  auto progress
    = sends.size() + promises.size() + asks.size() + executed + saved;
  idle_waits_ = progress == progress_at_wait_ ? idle_waits_ + 1 : 0;
  progress_at_wait_ = progress;
  if (idle_waits_ > 20 && !stuck_ && plan_.traced)
    throw broken_rule("a node polls, " + situation());
  if (idle_waits_ > 20)
    lose_patience();
  set_clock(next);
}

void simulator::check_wait(std::int64_t next) const {
  auto external = std::any_of(
    plan_.connections.begin(), plan_.connections.end(),
    [](auto& x) { return x.physical; });
  for (auto& x : plan_.nodes)
    external = external || x.external() || x.realtime;
  if (!external)
    throw broken_rule("a node waits for physical time, until "
                      + std::to_string(next) + ", without reason");
  if (final_tag() != forever && clock() > rules_.proposal().ns)
    throw broken_rule(
      "a node waits for physical time, until " + std::to_string(next)
      + ", although an end was requested for "
      + caf::rosia::to_string(rules_.proposal()));
}

void simulator::check_lateness() {
  // Elapsed time bounds promises only from above. So events that are due before
  // it must be executed, unless an end was requested.
  if (rules_.proposal() != forever || aborted() || !failures.empty() || stuck_)
    return;
  for (node_id i = 0; i < size(); ++i)
    if (vanished(i))
      return;
  for (node_id i = 0; i < size(); ++i)
    if (!left(i) && at(i).next_tag().ns < clock())
      throw broken_rule(
        "node " + std::to_string(i) + " is late, " + situation());
}

// -- overridden functions of network ------------------------------------------

void simulator::meanwhile() {
  if (depth_ < 2 && !loop_time_table_locked() && rng_.chance(disturbance_))
    disturb();
}

void simulator::on_channel(node_id from, node_id to) {
  busy_channels_.emplace_back(from, to);
}

void simulator::on_scheduled(node_id id) {
  ready_.push_back(id);
}

void simulator::on_report(node_id id, const report& x) {
  simulated_application::on_report(id, x);
  if (reports_[id].size() == 1)
    with_reports_.push_back(id);
}

void simulator::on_saved(node_id id) {
  saved_code_[id].push_back(nodes_[id]->what());
}

// -- overridden functions of coordinator --------------------------------------

void simulator::handle(node_id id, const report& x) {
  using kind = report::kind;
  if (x.type == kind::exit || x.type == kind::vanished)
    last_of_left_[id] = x.type == kind::exit ? x.tag : logical_time{};
  if (last_of_left_[id] != never)
    answer_checkpoint(id, last_of_left_[id]);
  else if (x.type == kind::checkpoint)
    answer_checkpoint(id, x.tag);
  simulated_application::handle(id, x);
}

void simulator::notify(node_id id, const notice& x) {
  simulated_application::notify(id, x);
  if (notices_[id].size() == 1)
    with_notices_.push_back(id);
}

void simulator::entered(engine::negotiation::stage stage,
                        std::uint64_t deadline) {
  stage_began_ = steps_;
  simulated_application::entered(stage, deadline);
}

} // namespace engine_test
