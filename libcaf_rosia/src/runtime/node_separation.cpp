// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/node_separation.hpp"

#include "runtime/node_mailbox.hpp"
#include "runtime/node_runner.hpp"
#include "runtime/run_context.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <unordered_map>
#include <utility>

namespace caf::rosia::detail {

namespace {

/// The minimal work of a part of a loop between two waits, in nanoseconds, so
/// that a division pays: a multiple of the cost of the part's calls.
constexpr double least_work_of_part = 4 * 2000;

/// The maximal number of nodes of an executor that divides a loop at random.
/// Short delays would cause many calls.
constexpr std::size_t most_divided_at_random = 64;

/// The maximal number of times that a node may delay its group by a long tag.
constexpr std::uint32_t most_long_tags = 2;

} // namespace

bool node_separation::separate() {
  auto& nodes = self_.nodes_;
  // A division would forget which newcomers wait for it.
  if (self_.exchanges() && nodes.group && nodes.group->has_due_newcomers()) {
    split_newcomers();
    return true;
  }
  if (nodes.group && wants_division() && divide())
    return true;
  if (!self_.exchanges())
    return false;
  if (std::exchange(is_on_trial_, false))
    end_trial();
  if (nodes.members.size() < 2)
    return false;
  auto leaving
    = self_.load_.rules == node_exchange::by_load ? find_heavy() : find_any();
  if (leaving.size() == nodes.members.size())
    leaving.pop_back();
  if (leaving.empty())
    return false;
  split_heavy(leaving);
  return true;
}

// -- dividing loops -----------------------------------------------------------

bool node_separation::wants_division() noexcept {
  if (self_.load_.rules == node_exchange::at_random)
    return self_.load_.random_number() % 4 == 0;
  return self_.load_.nodes.heavy() && self_.run_->executors().workers() > 1
         && self_.nodes_.group->executed() >= 2 * reached_.tags;
}

bool node_separation::divide() {
  auto& nodes = self_.nodes_;
  auto& executors = self_.run_->executors();
  auto by_load = self_.load_.rules != node_exchange::at_random;
  if (!by_load
      && (nodes.members.size() > most_divided_at_random
          || !nodes.group->is_loop()))
    return false;
  auto last = note_reached();
  std::vector<node_runner*> loop; // the largest one
  for (auto& [number, members] : nodes.find_loops(*self_.run_))
    if (members.size() > loop.size())
      loop = members;
  auto count
    = by_load ? std::min(
        parts_of_worker * executors.workers(), loop.size() / least_part)
              : std::min<std::size_t>(
                2 + self_.load_.random_number() % 3, loop.size());
  if (count < 2)
    return false;
  if (loop.size() < nodes.members.size()) {
    auto loop_of = [&](auto* x) {
      return self_.run_->graph().topology().loop_of(x->engine().id());
    };
    auto rest = nodes.members;
    std::erase_if(rest, [&](auto* x) {
      return loop_of(x) == loop_of(loop.front());
    });
    split(rest, 1).front()->begin();
  }
  if (!nodes.group->is_loop())
    return false;
  auto division = nodes.group->find_division(count);
  if (division && by_load)
    if (auto most = affordable_parts(*division, last); most < count)
      division = nodes.group->find_division(most);
  if (!division)
    return false;
  std::vector<executor*> others;
  std::vector<engine::group*> groups;
  while (others.size() + 1 < division->parts()) {
    auto& x = executors.take(self_.run_, node_exchange::none);
    x.nodes_.group = std::make_unique<engine::group>();
    others.push_back(&x);
    groups.push_back(x.nodes_.group.get());
  }
  nodes.group->divide(
    *division, groups, [&](auto first, auto distances, auto& clocked) -> auto& {
      return executors.make_table(
        std::move(first), std::move(distances), clocked);
    });
  for (auto* x : others)
    x->nodes_.are_part = true;
  nodes.are_part = true;
  hand_over(others);
  for (auto* x : others)
    x->begin();
  return true;
}

node_separation::reached node_separation::note_reached() noexcept {
  auto result
    = std::exchange(reached_, {.tags = self_.nodes_.group->executed()});
  for (auto* x : self_.nodes_.members)
    reached_.ns = std::max(reached_.ns, x->engine().logical().ns);
  return result;
}

std::size_t node_separation::affordable_parts(
  const engine::loop_division& division, const reached& last) const noexcept {
  auto tags = static_cast<double>(reached_.tags - last.tags);
  auto span = static_cast<double>(reached_.ns - last.ns);
  if (span <= 0)
    return 0;
  // The work that is executed before the parts must wait for each other.
  auto work = static_cast<double>(self_.load_.nodes.mean()) * tags
              * static_cast<double>(division.lookahead().ns()) / span;
  auto nodes = static_cast<double>(self_.nodes_.members.size());
  return static_cast<std::size_t>(std::min(work / least_work_of_part, nodes));
}

// -- separating nodes ---------------------------------------------------------

void node_separation::end_trial() {
  auto& nodes = self_.nodes_;
  if (self_.run_->executors().workers() == 1 || !nodes.group
      || self_.load_.nodes.latest() < group_load::heavy_tag_in_loop)
    return;
  std::vector<engine::node*> newcomers;
  for (auto* x : nodes.members)
    newcomers.push_back(&x->engine());
  nodes.group->add_newcomers(newcomers);
}

std::vector<node_runner*> node_separation::find_heavy() {
  std::vector<node_runner*> result;
  if (!self_.load_.measured_each)
    return result;
  auto& group = *self_.nodes_.group;
  auto& executors = self_.run_->executors();
  auto has_helpers = executors.workers() > 1;
  for (std::size_t i = 0; i < group.size(); ++i) {
    auto id = group.member(i).id();
    auto loop_size = executors.loop_size(id);
    // A large loop is never cut here, even if it began in a group without
    // limit.
    if (loop_size > group_limits{}.loop)
      continue;
    auto& load = group.load(i);
    auto took_long = std::exchange(load.longest, 0) >= group_load::long_tag;
    auto has_enough = load.samples >= load.enough_samples;
    auto heavy = has_helpers && group_load::is_heavy(load, loop_size > 1);
    if (!load.precise) {
      if (heavy || took_long)
        load.begin(true);
      continue;
    }
    load.long_ones += took_long ? 1 : 0;
    if (heavy || load.long_ones > most_long_tags)
      result.push_back(&self_.run_->actors().runner_at(id));
    else if (has_enough && load.long_ones == 0)
      load.begin(false);
  }
  // A node may be in the group but not in `members`, because its actor was
  // ended. It is no longer called.
  std::erase_if(result, [&members = self_.nodes_.members](auto* x) {
    return std::find(members.begin(), members.end(), x) == members.end();
  });
  return result;
}

std::vector<node_runner*> node_separation::find_any() {
  auto& members = self_.nodes_.members;
  std::vector<node_runner*> result;
  if (self_.load_.random_number() % 4 == 0)
    for (auto* x : members)
      if (self_.load_.random_number() % members.size() < 2)
        result.push_back(x);
  return result;
}

void node_separation::split_newcomers() {
  std::vector<node_runner*> leaving;
  for (auto* x : self_.nodes_.group->due_newcomers())
    leaving.push_back(&self_.run_->actors().runner_at(x->id()));
  // One node stays, so that this executor is not without nodes.
  if (leaving.size() == self_.nodes_.members.size()) {
    self_.nodes_.group->keep_newcomer(leaving.back()->engine());
    leaving.pop_back();
  }
  if (leaving.empty())
    return;
  auto presumes = self_.load_.nodes.presumes_light();
  for (auto* x : split(leaving, leaving.size())) {
    if (presumes)
      x->load_.nodes.presume_light();
    x->load_.nodes.delay_calm(-x->nodes_.members.front()->trust());
    x->begin();
  }
}

void node_separation::split_heavy(std::span<node_runner* const> leaving) {
  auto apart = split(leaving, leaving.size());
  for (std::size_t i = 0; i < leaving.size(); ++i) {
    apart[i]->load_.reset(leaving[i]->note_heavy());
    apart[i]->begin();
  }
  self_.load_.forget_heavy();
}

std::vector<executor*> node_separation::split(
  std::span<node_runner* const> leaving, std::size_t count) {
  std::vector<executor*> result;
  std::vector<engine::node*> nodes;
  std::vector<engine::group*> groups;
  for (auto* x : leaving) {
    if (result.size() < count) {
      result.push_back(
        &self_.run_->executors().take(self_.run_, self_.load_.rules));
      result.back()->nodes_.group = std::make_unique<engine::group>();
    }
    nodes.push_back(&x->engine());
    groups.push_back(result.back()->nodes_.group.get());
  }
  self_.nodes_.group->split(nodes, groups);
  hand_over(result);
  self_.set_light_tag();
  for (auto* x : result) {
    x->load_.nodes = {};
    x->load_.reset();
    x->set_light_tag();
  }
  return result;
}

void node_separation::hand_over(std::span<executor* const> others) {
  auto& mine = self_.nodes_;
  std::unordered_map<const engine::group*, executor_nodes*> owners;
  for (auto* x : others)
    owners.emplace(x->nodes_.group.get(), &x->nodes_);
  auto stays = [&](auto* x) { return !owners.contains(x->engine().group()); };
  auto leaving
    = std::stable_partition(mine.members.begin(), mine.members.end(), stays);
  for (auto i = leaving; i != mine.members.end(); ++i)
    owners.at((*i)->engine().group())->members.push_back(*i);
  mine.members.erase(leaving, mine.members.end());
  mine.update_size();
  for (auto* x : others) {
    auto& theirs = x->nodes_;
    theirs.notices = mine.notices;
    std::scoped_lock guard{mine.mutex, theirs.mutex};
    for (auto* y : theirs.members)
      y->move_to(*x);
    theirs.update_size();
    auto move_its = [](auto& from, auto& to, auto is_its) {
      auto its
        = std::stable_partition(from.begin(), from.end(), std::not_fn(is_its));
      std::move(its, from.end(), std::back_inserter(to));
      from.erase(its, from.end());
    };
    auto has = [x](node_runner& y) { return &y.runs_on() == x; };
    move_its(mine.commands, theirs.commands, [&](auto& y) {
      return has(*y.node);
    });
    move_its(mine.mailboxes, theirs.mailboxes, [&](auto* y) {
      return has(y->node());
    });
  }
  std::atomic_thread_fence(std::memory_order_seq_cst);
  // The timer may have been set for a node that moved.
  mine.timer = engine::node::no_wake;
  mine.name_group(*self_.run_);
  for (auto* x : others) {
    x->nodes_.timer = engine::node::no_wake;
    x->nodes_.name_group(*self_.run_);
  }
}

} // namespace caf::rosia::detail
