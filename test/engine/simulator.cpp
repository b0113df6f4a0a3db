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

simulator::simulator(const plan& what, std::uint64_t seed,
                     const simulation_options& options)
  : plan_(what), options_(options), rng_(seed),
    negotiation_(what.nodes.size(), what.stop_after, *this),
    rules_(negotiation_, what.stop_after), notices_(what.nodes.size()),
    reports_(what.nodes.size()), requested_(what.outside_requests.size()),
    saved_code_(what.nodes.size()), owes_checkpoint_(what.nodes.size()),
    last_of_left_(what.nodes.size(), never) {
  auto size = static_cast<node_id>(what.nodes.size());
  nodes_ = make_nodes(*this, what);
  build(make_setups(what, nodes_), make_wires(what), make_options(what));
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
  if (options.regroups) {
    regrouping_ = rng_.pick({1u, 5u, 30u});
    for (auto n = rng_.below(2 * size + 1); n > 0; --n)
      regroup();
  }
  if (what.stop_after) {
    agreed_ = proposal_ = *what.stop_after;
    for (node_id i = 0; i < size; ++i)
      take_final(i, agreed_, agreed_);
  }
}

simulator::~simulator() {
  clear();
}

// -- running ------------------------------------------------------------------

void simulator::run() {
  negotiation_.begin();
  while (!status_) {
    if (++steps_ > step_limit)
      throw broken_rule("the simulation does not end" + situation());
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
  stamps_ = stamps_of(*this, plan_);
}

void simulator::check_end() {
  rules_.check_end(*status_);
  check_checkpoints();
  for (node_id i = 0; i < size(); ++i) {
    auto& code = *nodes_[i];
    auto name = "node " + std::to_string(i);
    if (code.shutdowns != (left(i) && !had_left(i) ? 1 : 0))
      throw broken_rule(
        name + " was shut down " + std::to_string(code.shutdowns) + " times");
    if (!left(i)) {
      if (!vanished(i) && !gave_up())
        throw broken_rule(name + " is left over");
      continue;
    }
    if (code.pending != 0)
      throw broken_rule(name + " leaks coroutines");
    auto how = at(i).how();
    if (how == engine::ending::aborted && !aborted())
      throw broken_rule(name + " was aborted without reason");
    if (how == engine::ending::final_tag
        && (!rules_.was_final(at(i).final()) || at(i).logical() > final_tag()))
      throw broken_rule(name + " does not end at the final tag");
  }
  for (auto& [id, what] : failures)
    if (!plan_.nodes[id].fails_at || what.what != planned_failure)
      throw broken_rule("node " + std::to_string(id) + " fails: " + what.what);
  for (auto& [id, what] : shutdown_failures)
    if (!plan_.nodes[id].shutdown_fails || what.what != planned_failure)
      throw broken_rule(
        "node " + std::to_string(id) + " fails in shutdown(): " + what.what);
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

void simulator::regroup() {
  auto x = static_cast<node_id>(rng_.below(size()));
  auto y = static_cast<node_id>(rng_.below(size()));
  if (left(x) || left(y) || is_stuck(x) || is_stuck(y))
    return;
  if (auto members = group_of(x); members.size() > 1 && rng_.chance(50)) {
    std::vector<node_id> leaving;
    for (auto i : members)
      if (rng_.chance(50))
        leaving.push_back(i);
    if (leaving.empty())
      return;
    split(leaving);
    ++split_;
  } else if (x != y
             && (at(x).group() == nullptr || at(x).group() != at(y).group())
             && (plan_.processes.empty()
                 || plan_.processes[x] == plan_.processes[y])) {
    fuse(x, y);
    ++fused_;
  }
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
    auto x = notices_[id].front();
    notices_[id].pop_front();
    if (!notices_[id].empty())
      with_notices_.push_back(id);
    switch (x.what) {
      case notice::kind::ask:
        ask_shutdown(id, x.tag);
        break;
      case notice::kind::final:
        take_final(id, x.tag, x.requested);
        break;
      case notice::kind::abort:
        network::abort(id);
        break;
      case notice::kind::ask_checkpoint:
        ask_checkpoint(id);
        break;
      case notice::kind::take_checkpoint:
        take_checkpoint(id, x.tag);
        break;
    }
    return true;
  }
  return false;
}

bool simulator::serve_coordinator() {
  if (with_reports_.empty())
    return false;
  auto id = take(with_reports_, rng_.below(with_reports_.size()));
  auto x = reports_[id].front();
  reports_[id].pop_front();
  if (!reports_[id].empty())
    with_reports_.push_back(id);
  switch (x.what) {
    case report::kind::request:
      rules_.request(x.tag, x.status);
      negotiation_.request(x.tag, x.status);
      break;
    case report::kind::answer:
      rules_.answer(id, x.tag);
      negotiation_.answer(id, x.tag);
      break;
    case report::kind::failed:
      rules_.failed();
      negotiation_.abort(1);
      break;
    case report::kind::checkpoint:
      answer_checkpoint(id, x.tag);
      break;
    case report::kind::exit:
      last_of_left_[id] = x.tag;
      answer_checkpoint(id, x.tag);
      rules_.exited(id, x.how, x.tag);
      negotiation_.exited(id, x.how, x.tag);
      break;
    case report::kind::vanished:
      last_of_left_[id] = x.tag = logical_time{};
      answer_checkpoint(id, x.tag);
      rules_.failed();
      negotiation_.abort(1);
      negotiation_.exited(id, engine::ending::aborted, never);
      break;
  }
  rules_.check();
  return true;
}

// -- checkpoints --------------------------------------------------------------

void simulator::continue_from(const checkpoint& from) {
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
    last = std::max(last, at(i).logical());
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
    next_call_ < plan_.calls.size() && plan_.calls[next_call_].at <= clock()) {
    auto& x = plan_.calls[next_call_++];
    auto taken = x.trigger ? call(x.node, x.index, x.value)
                           : inject(x.node, x.index, x.value);
    if (taken)
      ++nodes_[x.node]->waiting;
  }
}

void simulator::outside_events() {
  outside_calls();
  faults();
  for (std::size_t i = 0; i < requested_.size(); ++i) {
    auto& x = plan_.outside_requests[i];
    if (requested_[i] || (x.at_step ? *x.at_step > steps_ : x.at > clock()))
      continue;
    requested_[i] = true;
    outside_request(x.proposal);
  }
  if (plan_.vanishes && plan_.vanishes->first == steps_) {
    auto id = plan_.vanishes->second;
    if (!left(id)) {
      vanish(id);
      on_report(id, {report::kind::vanished, never, 0, {}});
      if (auto i = std::find(unstarted_.begin(), unstarted_.end(), id);
          i != unstarted_.end())
        unstarted_.erase(i);
    }
  }
}

void simulator::outside_request(logical_time proposal) {
  rules_.request(proposal, 0);
  negotiation_.request(proposal, 0);
}

void simulator::faults() {
  using stage = engine::negotiation::stage;
  if (plan_.second_signal == steps_) {
    rules_.second_signal();
    negotiation_.abort(128);
  }
  if (auto& x = plan_.sticks; x && x->first == steps_) {
    stuck_ = x->second;
    stage_began_ = steps_;
    std::erase_if(unstarted_, [this](auto id) { return is_stuck(id); });
  }
  for (auto step : plan_.overdue)
    if (step == steps_) {
      // The deadline of an earlier stage has no effect.
      auto before = negotiation_.current();
      if (deadline_ > 0)
        negotiation_.overdue(deadline_ - 1);
      if (negotiation_.current() != before)
        throw broken_rule("the deadline of an earlier stage has an effect");
      if (before == stage::asking || before == stage::executing)
        overdue();
    }
  if (stuck_ && steps_ > stage_began_ + patience)
    lose_patience();
}

void simulator::overdue() {
  rules_.overdue();
  negotiation_.overdue(deadline_);
}

void simulator::lose_patience() {
  stage_began_ = steps_;
  if (negotiation_.current() == engine::negotiation::stage::running)
    outside_request(never);
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
      outside_request(x.proposal);
      return;
    }
    next = std::min(next, x.at);
  }
  if (next == engine::node::no_wake && stuck_) {
    lose_patience();
    return;
  }
  if (next == engine::node::no_wake) {
    throw broken_rule("nobody goes on" + situation());
  }
  ++waits_;
  // Repeated reads of the clock without effect are polling.
  auto progress
    = sends.size() + promises.size() + asks.size() + executed + saved;
  idle_waits_ = progress == progress_at_wait_ ? idle_waits_ + 1 : 0;
  progress_at_wait_ = progress;
  if (idle_waits_ > 20 && !stuck_)
    throw broken_rule("somebody polls" + situation());
  if (idle_waits_ > 20)
    lose_patience();
  set_clock(next);
}

std::string simulator::situation() {
  using caf::rosia::to_string;
  auto result = " at time " + std::to_string(clock()) + ", final tag "
                + to_string(agreed_);
  if (negotiation_.current() == engine::negotiation::stage::asking)
    result += ", answers are missing";
  for (node_id i = 0; i < size(); ++i)
    if (!left(i))
      result
        += "\n  node " + std::to_string(i) + " at " + to_string(at(i).logical())
           + ", next tag " + to_string(at(i).next_tag()) + ", STAT "
           + to_string(at(i).stat()) + ", final tag " + to_string(final_of(i))
           + (scheduled(i) ? ", ready" : "");
  return result;
}

void simulator::check_wait(std::int64_t next) const {
  auto external = std::any_of(
    plan_.connections.begin(), plan_.connections.end(),
    [](auto& x) { return x.physical; });
  for (auto& x : plan_.nodes)
    external = external || x.external() || x.realtime;
  if (!external)
    throw broken_rule("somebody waits for physical time, until "
                      + std::to_string(next) + ", without reason");
  if (agreed_ != forever && clock() > proposal_.ns)
    throw broken_rule(
      "somebody waits for physical time, until " + std::to_string(next)
      + ", although an end was requested for "
      + caf::rosia::to_string(proposal_));
}

void simulator::check_lateness() {
  // Elapsed time bounds promises only from above. So events that are due before
  // it must be executed, unless an end was requested.
  if (proposal_ != forever || agreed_ != forever || negotiation_.aborted()
      || !failures.empty() || stuck_)
    return;
  for (node_id i = 0; i < size(); ++i)
    if (vanished(i))
      return;
  for (node_id i = 0; i < size(); ++i)
    if (!left(i) && at(i).next_tag().ns < clock())
      throw broken_rule("node " + std::to_string(i) + " is late" + situation());
}

// -- overridden functions of network ------------------------------------------

bool simulator::holds_back(node_id, node_id) {
  return true;
}

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

void simulator::on_left(node_id id) {
  on_report(id, {report::kind::exit, at(id).logical(), 0, at(id).how()});
}

void simulator::on_request(node_id id, logical_time proposal, int status) {
  on_report(id, {report::kind::request, proposal, status, {}});
}

void simulator::on_answer(node_id id, logical_time tag) {
  on_report(id, {report::kind::answer, tag, 0, {}});
}

void simulator::on_checkpoint_answer(node_id id, logical_time tag) {
  on_report(id, {report::kind::checkpoint, tag, 0, {}});
}

void simulator::on_saved(node_id id) {
  saved_code_[id].push_back(nodes_[id]->what());
}

void simulator::on_failed(node_id id, const engine::failure&) {
  on_report(id, {report::kind::failed, never, 0, {}});
}

void simulator::on_report(node_id id, const report& x) {
  reports_[id].push_back(x);
  if (reports_[id].size() == 1)
    with_reports_.push_back(id);
}

// -- overridden functions of negotiation::host --------------------------------

void simulator::notify(node_id id, const notice& x) {
  notices_[id].push_back(x);
  if (notices_[id].size() == 1)
    with_notices_.push_back(id);
}

void simulator::ask(node_id node, logical_time proposal) {
  proposal_ = proposal;
  rules_.asks(proposal);
  notify(node, {notice::kind::ask, proposal, never});
}

void simulator::tell_final(
  node_id node, logical_time final, logical_time requested) {
  notify(node, {notice::kind::final, final, requested});
}

void simulator::abort_node(node_id node) {
  notify(node, {notice::kind::abort, never, never});
}

void simulator::agreed(logical_time final) {
  ++rounds_;
  rules_.agreed(final);
  agreed_ = final;
}

void simulator::ignored(logical_time proposal, logical_time final) {
  rules_.ignored(proposal, final);
}

void simulator::entered(engine::negotiation::stage what,
                        std::uint64_t deadline) {
  deadline_ = deadline;
  stage_began_ = steps_;
  rules_.entered(what);
}

void simulator::late(node_id node, engine::negotiation::stage what) {
  rules_.late(node, what);
}

void simulator::finished(int status) {
  if (status_)
    throw broken_rule("it finishes twice");
  status_ = status;
}

} // namespace engine_test
