// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/executor.hpp"

#include "compat/scheduling_token.hpp"
#include "runtime/checkpoints.hpp"
#include "runtime/executors.hpp"
#include "runtime/node_mailbox.hpp"
#include "runtime/node_runner.hpp"
#include "runtime/run_context.hpp"
#include "runtime/woken_executors.hpp"

#include <caf/actor_system.hpp>

#include <algorithm>
#include <mutex>
#include <utility>

namespace caf::rosia::detail {

namespace {

/// The time, in nanoseconds, after which an executor with more to do yields to
/// the other executors of its worker. Each turn has a cost: the scheduler wakes
/// an idle worker for each executor that is put back into its queue, even if
/// there is no other.
constexpr std::int64_t longest_turn = 1'000'000;

/// The maximal numbers of tags in a call of a node and of a group. After a
/// call, other executors see the messages. A call of a group scans all members.
constexpr std::size_t tags_of_node = 256;
constexpr std::size_t tags_of_group = 8192;
constexpr std::size_t tags_of_member = 8;

/// The maximal number of tags in a call of a node that may soon be in a group
/// with its neighbours. Messages that it sends before are queued, which costs
/// more than execution in the group.
constexpr std::size_t tags_of_new_node = 8;

/// The maximal number of tags in a call of a node that waits to be seated.
/// After a single tag, the node can become idle or leave in the same call.
constexpr std::size_t tags_before_seating = 2;

/// The maximal duration of light tags, in nanoseconds, if there is only one
/// worker: no node gains by being alone. It also holds for members of a loop
/// until all of them are together, because only then can the loop be divided.
constexpr std::int64_t longest_light_tag = 200'000;

} // namespace

// -- constructors -------------------------------------------------------------

executor::executor(std::shared_ptr<run_context> run, std::size_t number,
                   node_exchange rules)
  : run_(std::move(run)), load_(rules, static_cast<std::uint32_t>(number) + 1),
    takeover_(*this, number), separation_(*this) {
  // nop
}

// -- before the start ---------------------------------------------------------

void executor::add(std::vector<node_runner*> xs, std::shared_ptr<seating> later,
                   bool on_trial) {
  takeover_.seat_later(std::move(later));
  nodes_.assign(*this, std::move(xs));
  nodes_.name_group(*run_);
  set_light_tag();
  if (on_trial)
    separation_.begin_trial();
  // In physical time, a node that blocks would delay its group before that is
  // known.
  if (load_.rules == node_exchange::by_load
      && std::ranges::none_of(
        nodes_.members, [](auto* x) { return x->engine().realtime(); }))
    load_.nodes.presume_light();
}

// -- scheduling ---------------------------------------------------------------

void executor::signal() {
  if (claim())
    schedule_claimed();
}

bool executor::claim() {
  token_.signal();
  if (!token_.take())
    return false;
  ref();
  return true;
}

void executor::run_claimed(worker& unit) {
  auto last = activate_once(&unit, 0);
  woken_executors::schedule_all();
  if (last == resume_later)
    schedule_claimed();
  else
    deref();
}

void executor::schedule_claimed() {
  // Enqueue at the back, even on a worker. A work-stealing worker runs what it
  // puts into its own queue first, so that executors that wake each other would
  // starve the rest.
  detail::schedule(*this, run_->system());
}

bool executor::take_command(node_runner& x, const node_command& content) {
  {
    std::lock_guard guard{nodes_.mutex};
    if (&x.runs_on() != this)
      return false;
    nodes_.commands.push_back({&x, content});
    // Claim under the lock: as soon as another thread can take the command, the
    // run may end.
    if (!claim())
      return true;
  }
  schedule_claimed();
  return true;
}

bool executor::handle_mailbox(node_mailbox& x, worker* unit) {
  {
    std::lock_guard guard{nodes_.mutex};
    if (&x.node().runs_on() != this)
      return false;
    caf::intrusive_ptr_add_ref(x.ctrl());
    nodes_.mailboxes.push_back(&x);
    // Claim under the lock, as in `take_command`.
    if (!claim())
      return true;
  }
  if (resume(unit, 0) == resume_later)
    schedule_claimed();
  else
    deref();
  return true;
}

// -- running ------------------------------------------------------------------

void executor::begin() {
  ref();
  schedule_claimed();
}

void executor::run_once(worker* unit, std::int64_t turn) {
  if (activate_once(unit, turn) == resume_later)
    schedule_claimed();
  else
    deref();
}

caf::resumable::resume_result executor::activate_once(
  worker* unit, std::int64_t turn) {
  flushed_ = run_->time().elapsed();
  auto end = flushed_ + turn;
  unit_ = unit;
  token_.running(true);
  for (;;) {
    // An executor that is called on the way calls no further ones.
    if (turn > 0)
      woken_executors::run_light(unit);
    woken_executors::schedule_all();
    // Before the inboxes are read: a promise for which no call is due is in one
    // of them.
    if (!awaits_promises_.load(std::memory_order_relaxed))
      awaits_promises_.exchange(true, std::memory_order_seq_cst);
    token_.take_signal();
    auto begin = run_->time().elapsed();
    token_.began(begin);
    hand_over_.begin_call(begin, size());
    takeover_.take_joined();
    take_notices();
    handle_commands(unit);
    auto has_more = handle_mailboxes(unit);
    woken_executors::schedule_all();
    has_more = advance(begin) || has_more;
    end_members(unit);
    end_call();
    if (load_.rules != node_exchange::none && !takeover_.awaits_seat()
        && (executed_some_ || load_.nodes.wants_calm_neighbours()
            || (nodes_.group && nodes_.group->has_due_newcomers())))
      has_more = exchange_nodes() || has_more;
    woken_executors::wake_all();
    auto now = run_->time().elapsed();
    auto due
      = hand_over_.end_call(now) || !has_more || takeover_.looks_around();
    if (due || now >= end || waits_to_flush(now))
      flush(now);
    if (takeover_.wait())
      return awaiting_message;
    if (!has_more) {
      note_awaits();
      token_.running(false);
      if (token_.give_back())
        return awaiting_message;
      token_.running(true);
    }
    // Members may wake each other forever, over physical connections. A node
    // that never yields its worker would also keep its neighbours from joining.
    if (now >= end || (load_.nodes.presumed_light() && !nodes_.group)) {
      token_.running(false);
      return resume_later;
    }
  }
}

bool executor::advance(std::int64_t now) {
  executed_some_ = load_.measured_each = false;
  if (nodes_.members.empty())
    return false;
  if (nodes_.timer <= now)
    nodes_.timer = engine::node::no_wake;
  auto before = nodes_.executed();
  auto measured = load_.wants_time(nodes_.are_part);
  load_.measured_each
    = measured && nodes_.group && load_.rules == node_exchange::by_load
      && load_.nodes.measures_each();
  if (nodes_.group)
    nodes_.group->measure(load_.measured_each);
  auto state = measured ? advance_measured() : advance_nodes();
  executed_some_ = nodes_.executed() != before;
  if (run_->executors().follows_clock())
    load_.note_call(executed_some_);
  return state == engine::node::state::more;
}

engine::node::state executor::advance_measured() {
  using enum engine::hand_over_timer::measure;
  auto before = nodes_.executed();
  auto messages_before = nodes_.messages();
  hand_over_.begin_measurement(load_.nodes.precise() ? of_thread : elapsed);
  auto result = advance_nodes();
  auto for_messages
    = static_cast<std::int64_t>(nodes_.messages() - messages_before)
      * engine::group::message_cost;
  auto took = hand_over_.end_measurement() - for_messages;
  // In physical time, many calls execute nothing. They say nothing about tags.
  if (nodes_.executed() == before && run_->executors().follows_clock())
    return result;
  load_.note(nodes_.executed() - before, std::max(took, std::int64_t{0}),
             nodes_.members.size());
  return result;
}

engine::node::state executor::advance_nodes() {
  auto count = nodes_.members.size();
  if (nodes_.group)
    return nodes_.group->advance(
      load_.nodes.limit(
        count > 1 ? std::max(tags_of_group, tags_of_member * count)
                  : tags_of_node),
      hand_over_);
  return nodes_.members.front()->engine().advance(
    takeover_.awaits_seat() ? tags_before_seating
    : load_.nodes.presumed_light()
      ? tags_of_new_node
      : tags_of_node,
    hand_over_);
}

void executor::end_call() {
  if (run_->actors().others() != nullptr)
    for (auto* x : nodes_.members)
      x->notify_others();
  if (nodes_.members.empty())
    return;
  auto wake_at = nodes_.group ? nodes_.group->wake_at()
                              : nodes_.members.front()->engine().wake_at();
  if (wake_at >= nodes_.timer)
    return;
  nodes_.timer = wake_at;
  run_->time().wake_at(nodes_.members.front()->engine().id(), wake_at);
}

void executor::note_awaits() {
  if (run_->actors().others() == nullptr)
    return;
  awaits_promises_.store(nodes_.awaits_promises(), std::memory_order_relaxed);
}

bool executor::waits_to_flush(std::int64_t now) const noexcept {
  return now - flushed_ >= engine::hand_over_timer::interval;
}

void executor::flush(std::int64_t now) {
  flushed_ = now;
  // If all nodes left, the run may end at any time.
  if (auto* others = run_->actors().others();
      others != nullptr && !nodes_.members.empty())
    others->flush();
}

void executor::handle_commands(worker* unit) {
  // Commands that arrive now are handled as well: while a node's start() ran,
  // the coordinator may have asked where the node can end.
  auto take = [this] { return nodes_.take(nodes_.commands); };
  for (auto due = take(); !due.empty(); due = take()) {
    auto some_left = false;
    for (auto& [node, content] : due)
      if (!node->has_reported()) {
        woken_executors::schedule_all();
        node->obey(content);
        some_left = some_left || node->has_to_report();
        // The command may include a slow start().
        if (run_->actors().others() != nullptr)
          if (auto now = run_->time().elapsed(); waits_to_flush(now))
            flush(now);
      }
    if (some_left)
      end_members(unit);
  }
}

bool executor::handle_mailboxes(worker* unit) {
  auto result = false;
  for (auto* x : nodes_.take(nodes_.mailboxes)) {
    if (x->has_left()) {
      x->end(unit);
    } else {
      woken_executors::schedule_all();
      if (handle_messages_of(*x, unit)) {
        std::lock_guard guard{nodes_.mutex};
        nodes_.mailboxes.push_back(x);
        result = true;
        continue;
      }
    }
    caf::intrusive_ptr_release(x->ctrl());
  }
  return result;
}

bool executor::handle_messages_of(node_mailbox& x, worker* unit) {
  auto& node = x.node();
  auto result = x.handle_messages(unit);
  // A message may abort the node.
  if (end_member(node, unit) || result == awaiting_message
      || result == resume_later)
    return result == resume_later;
  // Another part of the program ended the actor.
  nodes_.erase(node);
  if (nodes_.group)
    nodes_.group->abandon(node.engine());
  x.end(unit);
  node.report_vanished(x.end_reason());
  return false;
}

void executor::take_notices() {
  auto* checkpoints = run_->checkpoints();
  if (checkpoints == nullptr || checkpoints->notices() == nodes_.notices)
    return;
  auto news = checkpoints->notices_after(nodes_.notices);
  for (auto* x : nodes_.members)
    x->take_notices(news, nodes_.notices);
}

void executor::end_members(worker* unit) {
  if (nodes_.group && !nodes_.group->take_departed())
    return;
  auto& members = nodes_.members;
  auto first
    = std::stable_partition(members.begin(), members.end(), [](auto* x) {
        return !x->has_to_report();
      });
  std::vector<node_runner*> ended{first, members.end()};
  members.erase(first, members.end());
  nodes_.update_size();
  for (auto* x : ended)
    x->report_exit(unit);
}

bool executor::end_member(node_runner& x, worker* unit) {
  if (!x.has_to_report())
    return false;
  nodes_.erase(x);
  x.report_exit(unit);
  return true;
}

// -- exchanging nodes ---------------------------------------------------------

bool executor::exchange_nodes() {
  if (nodes_.members.empty() || nodes_.are_part)
    return false;
  return separation_.separate()
         || (exchanges() && takeover_.absorb_neighbours());
}

void executor::set_light_tag() {
  if (load_.rules != node_exchange::by_load)
    return;
  auto is_long
    = run_->executors().workers() == 1 || nodes_.wait_for_loop(*run_);
  load_.nodes.set_light_tag(
    is_long ? longest_light_tag : group_load::light_tag);
}

// -- observing ----------------------------------------------------------------

bool executor::observe(node_runner& x, observation& into) {
  if (!token_.take())
    return false;
  auto has_it = &x.runs_on() == this;
  if (has_it && !x.engine().left()) {
    x.engine().settle_for_observer();
    into.put(x.engine().id(), x.engine().look());
  }
  // A signal that arrived meanwhile found the token taken.
  if (!token_.give_back())
    begin();
  return has_it;
}

// -- overridden functions of CAF ----------------------------------------------

caf::resumable::resume_result executor::resume(worker* unit, size_t) {
  auto result = activate_once(unit, longest_turn);
  // From here on, this executor may run elsewhere. Only the woken executors
  // matter.
  if (result != resume_later)
    woken_executors::run_all(unit, longest_turn);
  woken_executors::schedule_all();
  return result;
}

} // namespace caf::rosia::detail
