// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/node_takeover.hpp"

#include "runtime/neighbourhood.hpp"
#include "runtime/node_runner.hpp"
#include "runtime/run_context.hpp"
#include "runtime/seating.hpp"
#include "runtime/woken_executors.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace caf::rosia::detail {

namespace {

/// The time, in nanoseconds, that an executor waits for a neighbour to take its
/// nodes over before it continues alone. It is longer in a run as fast as
/// possible, where the neighbour may only wait for a processor.
constexpr std::int64_t patience_with_neighbour = 2'000'000;
constexpr std::int64_t patience_without_haste = 10'000'000;

/// The number of times that a node must have left a group to execute short tags
/// only, until it executes tags within its group, although it executes few.
constexpr int enough_trust = 3;

/// The maximal number of siblings with which an executor joins a busy one. Each
/// time, the busy executor must scan all members of its group.
constexpr std::size_t few_siblings = 16;

} // namespace

// -- seating ------------------------------------------------------------------

void node_takeover::seat(std::vector<executor*> others,
                         std::shared_ptr<seating> all) {
  takes_seats_of_ = std::move(all);
  {
    auto& nodes = self_.nodes_;
    std::lock_guard guard{nodes.mutex};
    nodes.joining.insert(nodes.joining.end(), others.begin(), others.end());
  }
  go_on_alone();
}

bool node_takeover::wait_for_others() {
  auto& members = self_.nodes_.members;
  if (!members.empty() && self_.load_.is_silent()) {
    auto& node = members.front()->engine();
    self_.load_.light.store(
      node.started() && node.next_tag() == forever, std::memory_order_relaxed);
    return false;
  }
  if (members.empty() || !self_.load_.nodes.light()) {
    leave_seating();
    return false;
  }
  return std::exchange(seating_, nullptr)->arrive(self_, self_.run_->time());
}

void node_takeover::leave_seating() {
  if (auto others = std::exchange(seating_, nullptr))
    others->skip();
}

// -- taking over --------------------------------------------------------------

void node_takeover::take_joined() {
  absorb_joined(self_.nodes_.take(self_.nodes_.joining));
  if (auto all = std::exchange(takes_seats_of_, nullptr))
    absorb_idle(all->all());
}

bool node_takeover::absorb_neighbours() {
  looks_around_ = self_.load_.wants_neighbours();
  if (!looks_around_)
    return false;
  auto near = neighbourhood::neighbours(self_);
  return absorb_idle(near)
         || (wants_siblings(near)
             && absorb_idle(neighbourhood::siblings(self_)));
}

void node_takeover::absorb_joined(std::vector<executor*> joined) {
  // Executors that waited for one of `joined` follow. None is left waiting: its
  // number may be lower than that of this executor.
  while (!joined.empty()) {
    std::size_t nodes = 0;
    auto rest
      = std::stable_partition(joined.begin(), joined.end(), [&](auto* x) {
          if (!accepts(*x, nodes))
            return false;
          nodes += x->size();
          return true;
        });
    std::for_each(rest, joined.end(), [](auto* x) {
      x->takeover_.go_on_alone();
    });
    joined.erase(rest, joined.end());
    auto others = absorb(joined);
    for (auto* x : joined)
      x->deref();
    joined = std::move(others);
  }
}

std::vector<executor*> node_takeover::absorb(
  std::span<executor* const> others) {
  std::vector<executor*> joined;
  if (others.empty())
    return joined;
  auto& mine = self_.nodes_;
  std::vector<engine::group*> groups;
  std::vector<engine::node*> alone;
  std::vector<engine::node*> newcomers;
  auto all_calm = self_.load_.nodes.calm();
  if (joins_as_newcomer(self_))
    newcomers.push_back(&mine.members.front()->engine());
  mine.make_group();
  for (auto* x : others) {
    all_calm = all_calm && x->load_.nodes.calm();
    auto& first = x->nodes_.members.front()->engine();
    if (joins_as_newcomer(*x))
      newcomers.push_back(&first);
    if (x->nodes_.group)
      groups.push_back(x->nodes_.group.get());
    else
      alone.push_back(&first);
  }
  if (!groups.empty())
    mine.group->fuse(groups);
  if (!alone.empty())
    mine.group->add(alone);
  mine.group->add_newcomers(newcomers);
  leave_seating();
  for (auto* x : others) {
    take_members(*x, joined);
    x->takeover_.leave_seating();
  }
  mine.name_group(*self_.run_);
  self_.set_light_tag();
  self_.load_.reset();
  if (all_calm)
    self_.load_.nodes.stay_calm();
  // A thread may have signalled the old executor of a node until now. The node
  // is called here after its move is visible.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  for (auto* x : others) {
    self_.run_->executors().give_back(*x);
    x->token_.give_back_idle();
  }
  return joined;
}

bool node_takeover::joins_as_newcomer(executor& x) {
  auto& load = x.load_.nodes;
  if (x.size() > 1 || !x.load_.is_silent())
    return false;
  auto& node = *x.nodes_.members.front();
  if (load.has_executed())
    node.note_stint(load.is_short());
  return node.trust() < enough_trust;
}

void node_takeover::take_members(
  executor& other, std::vector<executor*>& joined) {
  auto& mine = self_.nodes_;
  auto& theirs = other.nodes_;
  auto move_all = [](auto& from, auto& to) {
    std::move(from.begin(), from.end(), std::back_inserter(to));
    from.clear();
  };
  theirs.group.reset();
  std::scoped_lock guard{mine.mutex, theirs.mutex};
  for (auto* x : theirs.members)
    x->move_to(self_);
  move_all(theirs.members, mine.members);
  move_all(theirs.commands, mine.commands);
  move_all(theirs.mailboxes, mine.mailboxes);
  move_all(theirs.joining, joined);
  mine.notices = std::min(mine.notices, theirs.notices);
  theirs.timer = engine::node::no_wake;
  other.takeover_.looks_around_ = false;
  other.token_.running(false);
  other.load_.light.store(
    self_.load_.rules == node_exchange::at_random, std::memory_order_relaxed);
  other.load_.calm.store(false, std::memory_order_relaxed);
  theirs.update_size();
  mine.update_size();
}

bool node_takeover::absorb_idle(std::span<executor* const> from) {
  std::vector<executor*> found;
  std::size_t nodes = 0;
  for (auto* x : from) {
    if (!accepts(*x, nodes) || !x->token_.take())
      continue;
    // Another thread may have had the token since then.
    if (accepts(*x, nodes)) {
      nodes += x->size();
      found.push_back(x);
    } else if (!x->token_.give_back()) {
      x->begin();
    }
  }
  absorb_joined(absorb(found));
  return !found.empty();
}

// -- waiting for a take-over --------------------------------------------------

bool node_takeover::wait() {
  return seating_ ? wait_for_others()
                  : std::exchange(looks_around_, false) && join_busy();
}

bool node_takeover::join_busy() {
  auto now = self_.run_->time().elapsed();
  // Only join a lower number: two executors must not wait for each other.
  auto may_join = [&](const executor& x) {
    return x.takeover_.number_ < number_ && x.takeover_.may_take(self_)
           && x.token_.is_free_soon(now);
  };
  auto join_one_of = [&](const std::vector<executor*>& xs) {
    return std::any_of(xs.begin(), xs.end(), [&](auto* x) {
      return may_join(*x) && join(*x, now);
    });
  };
  auto near = neighbourhood::neighbours(self_);
  if (join_one_of(near))
    return true;
  if (!wants_siblings(near))
    return false;
  auto all = neighbourhood::siblings(self_);
  return all.size() <= few_siblings && join_one_of(all);
}

bool node_takeover::join(executor& x, std::int64_t now) {
  auto is_claimed = false;
  {
    std::lock_guard guard{x.nodes_.mutex};
    if (x.size() == 0)
      return false;
    self_.ref();
    x.nodes_.joining.push_back(&self_);
    // Set the timer under the lock: as soon as `x` can take the nodes, the run
    // may end.
    auto patience
      = self_.load_.nodes.presumes_light()
          ? patience_without_haste
          : patience_with_neighbour;
    self_.run_->time().call_at(now + patience, [this, &x] {
      x.takeover_.let_go(self_);
    });
    is_claimed = x.claim();
  }
  if (is_claimed)
    woken_executors::run_next(x);
  return true;
}

void node_takeover::let_go(executor& x) {
  {
    std::lock_guard guard{self_.nodes_.mutex};
    if (std::erase(self_.nodes_.joining, &x) == 0)
      return;
  }
  x.takeover_.go_on_alone();
}

void node_takeover::go_on_alone() {
  self_.load_.nodes.look_again();
  self_.token_.running(false);
  self_.schedule_claimed();
}

// -- candidates ---------------------------------------------------------------

bool node_takeover::accepts(
  const executor& other, std::size_t besides) const noexcept {
  auto theirs = other.size();
  auto& limits = self_.run_->executors().limits();
  auto is_quick = [](auto& x) {
    return x.load_.quick.load(std::memory_order_relaxed)
           || x.load_.calm.load(std::memory_order_relaxed);
  };
  auto limit = is_quick(self_) || is_quick(other) ? limits.quick : limits.usual;
  return &other != &self_ && !self_.nodes_.are_part && !other.nodes_.are_part
         && other.load_.joins() && theirs > 0 && self_.size() > 0
         && self_.size() + besides + theirs <= limit;
}

bool node_takeover::may_take(const executor& other) const noexcept {
  return self_.load_.joins() && accepts(other);
}

bool node_takeover::wants_siblings(std::span<executor* const> near) noexcept {
  if (self_.load_.rules == node_exchange::at_random)
    return self_.load_.random_number() % 2 == 0;
  // Otherwise this executor can join the group of the neighbour in the middle.
  return std::none_of(near.begin(), near.end(), [this](auto* x) {
    return x->takeover_.may_take(self_);
  });
}

} // namespace caf::rosia::detail
