// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/executor.hpp"

#include "compat/scheduling_token.hpp"
#include "runtime/checkpoints.hpp"
#include "runtime/executors.hpp"
#include "runtime/grouping.hpp"
#include "runtime/node_mailbox.hpp"
#include "runtime/node_runner.hpp"
#include "runtime/run_context.hpp"
#include "runtime/seating.hpp"

#include <caf/actor_system.hpp>

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace caf::rosia::detail {

namespace {

/// The time, in nanoseconds, after which an executor with more to do yields to
/// the other executors of its worker. Each turn has a cost: the scheduler wakes
/// an idle worker for each executor that is put back into its queue, even if
/// there is no other.
constexpr std::int64_t longest_turn = 1'000'000;

/// The maximal number of light nodes that a worker calls on the way. Waking
/// another worker for them would take longer.
constexpr std::size_t most_on_the_way = 32;

/// The maximal number of woken executors that a worker runs before it returns
/// to the scheduler.
constexpr std::size_t activations_in_a_row = 32;

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

/// The time, in nanoseconds, after which a call that still runs is not expected
/// to end soon.
constexpr std::int64_t longest_call = 1'000'000;

/// The time, in nanoseconds, that an executor waits for a neighbour to take its
/// nodes over before it continues alone. It is longer in a run as fast as
/// possible, where the neighbour may only wait for a processor.
constexpr std::int64_t patience_with_neighbour = 2'000'000;
constexpr std::int64_t patience_without_haste = 10'000'000;

/// The minimal number of nodes of a part of a loop. A part of few nodes waits
/// often.
constexpr std::size_t least_part = 4;

/// The minimal work of a member of a part between two waits, in nanoseconds, so
/// that a division pays: a multiple of the member's cost in each call of the
/// part.
constexpr double least_work_of_member = 4 * 300;

/// The maximal number of nodes of an executor that divides a loop at random.
/// Each call of a part scans all of its members, and short delays would cause
/// many calls.
constexpr std::size_t most_divided_at_random = 64;

/// The maximal number of times that a node may delay its group by a long tag.
constexpr std::uint32_t most_long_tags = 2;

/// The maximal number of connections that an executor follows to find
/// neighbours: for each of its nodes, and in total. Following all connections
/// of a large group would take longer than its calls.
constexpr std::size_t connections_of_member = 16;
constexpr std::size_t connections_in_sight = 256;

/// The maximal number of nodes with a common neighbour that are considered, in
/// each direction.
constexpr std::size_t siblings_in_sight = 256;

/// The maximal number of siblings with which an executor joins a busy one. Each
/// time, the busy executor must scan all members of its group.
constexpr std::size_t few_siblings = 16;

/// The executors that the executor on this thread has to wake.
thread_local std::vector<executor*> waiting;

/// The number of the list `waiting`, which no other list of the process has,
/// before or after: the number of the thread, and the number of its calls of
/// `wake_others`.
thread_local std::uint64_t list_number = [] {
  static std::atomic<std::uint64_t> threads{0};
  return (threads.fetch_add(1, std::memory_order_relaxed) << 40) + 1;
}();

/// The executor that was woken last. This thread claimed it, and runs it after
/// the current executor. Most messages thus bypass the scheduler, and their
/// content is still in the cache.
thread_local executor* next_to_run = nullptr;

/// Light executors that were woken, with at most `most_on_the_way` nodes. This
/// thread claimed them, and runs them before `next_to_run`.
thread_local std::vector<executor*> light_to_run;

} // namespace

// -- constructors, destructors ------------------------------------------------

executor::executor(std::shared_ptr<run_context> run, std::size_t number,
                   exchange manner)
  : run_(std::move(run)), light_(manner == exchange::at_random),
    exchange_(manner), number_(static_cast<std::uint32_t>(number)) {
  // nop
}

executor::~executor() {
  // nop
}

// -- before the start ---------------------------------------------------------

void executor::add(std::vector<node_runner*> xs,
                   std::shared_ptr<seating> later) {
  members_ = std::move(xs);
  seating_ = std::move(later);
  size_ = static_cast<std::uint32_t>(members_.size());
  for (auto* x : members_)
    x->move_to(*this);
  if (members_.size() > 1
      || members_.front()->engine().config().instant_loop != nullptr)
    make_group();
  name_group();
  set_light_tag();
  // In physical time, a node that blocks would delay its group before that is
  // known.
  if (exchange_ == exchange::by_load
      && std::none_of(members_.begin(), members_.end(), [](auto* x) {
           return x->engine().realtime();
         }))
    load_.presume_light();
}

void executor::make_group() {
  if (nodes_)
    return;
  nodes_ = std::make_unique<engine::group>();
  std::vector<engine::node*> nodes;
  for (auto* x : members_)
    nodes.push_back(&x->engine());
  nodes_->add(nodes);
}

void executor::name_group() {
  std::optional<engine::node_id> first;
  if (members_.size() > 1)
    for (auto* x : members_)
      first = std::min(first.value_or(x->engine().id()), x->engine().id());
  for (auto* x : members_)
    if (auto id = x->engine().id(); run_->executors().note_group(id, first))
      if (auto* trace = run_->trace())
        trace->group(id, first);
}

// -- scheduling ---------------------------------------------------------------

void executor::signal() {
  if (claim())
    schedule();
}

bool executor::claim() {
  // Sequentially consistent, like the load in `give_token_back`: either that
  // load sees the signal, or this call finds the token free.
  signalled_.store(true, std::memory_order_seq_cst);
  if (!take_token())
    return false;
  ref();
  return true;
}

void executor::run_claimed(worker& unit) {
  auto last = activate_once(&unit, 0);
  schedule_next();
  if (last == resume_later)
    schedule();
  else
    deref();
}

void executor::schedule_claimed() {
  schedule();
}

bool executor::take_command(node_runner& x, const node_command& content) {
  {
    std::lock_guard guard{mutex_};
    if (&x.runs_on() != this)
      return false;
    commands_.push_back({&x, content});
    // Claim under the lock: as soon as another thread can take the command, the
    // run may end.
    if (!claim())
      return true;
  }
  schedule();
  return true;
}

bool executor::handle_mailbox(node_mailbox& x, worker* unit) {
  {
    std::lock_guard guard{mutex_};
    if (&x.node().runs_on() != this)
      return false;
    caf::intrusive_ptr_add_ref(x.ctrl());
    mailboxes_.push_back(&x);
    // Claim under the lock, as in `take_command`.
    if (!claim())
      return true;
  }
  if (run(*this, unit) == resume_later)
    schedule();
  else
    deref();
  return true;
}

void executor::to_wake(executor& x) {
  // A sender to hundreds of nodes of one group wakes the group once, because
  // each wake-up may scan all of them. If two threads list the executor, it is
  // listed twice.
  if (x.listed_.load(std::memory_order_relaxed) == list_number)
    return;
  x.listed_.store(list_number, std::memory_order_relaxed);
  waiting.push_back(&x);
}

void executor::wake_others() {
  auto nodes = std::accumulate(
    light_to_run.begin(), light_to_run.end(), std::size_t{0},
    [](auto sum, auto* x) { return sum + x->size(); });
  for (auto* x : waiting) {
    if (!x->claim())
      continue;
    if (auto sum = nodes + x->size();
        x->light_.load(std::memory_order_relaxed) && sum <= most_on_the_way) {
      light_to_run.push_back(x);
      nodes = sum;
    } else {
      if (next_to_run != nullptr)
        next_to_run->schedule();
      next_to_run = x;
    }
  }
  waiting.clear();
  ++list_number;
}

// -- after the start ----------------------------------------------------------

void executor::seat(std::vector<executor*> others,
                    std::shared_ptr<seating> all) {
  takes_seats_of_ = std::move(all);
  {
    std::lock_guard guard{mutex_};
    joining_.insert(joining_.end(), others.begin(), others.end());
  }
  go_on_alone();
}

// -- the token ----------------------------------------------------------------

bool executor::take_token() noexcept {
  return !taken_.exchange(true, std::memory_order_seq_cst);
}

bool executor::give_token_back() noexcept {
  taken_.store(false, std::memory_order_seq_cst);
  return !signalled_.load(std::memory_order_seq_cst) || !take_token();
}

void executor::schedule() {
  // Enqueue at the back, even on a worker. A work-stealing worker runs what it
  // puts into its own queue first, so that executors that wake each other would
  // starve the rest.
  detail::schedule(*this, run_->system());
}

// -- running ------------------------------------------------------------------

executor::outcome executor::run(executor& x, worker* unit) {
  auto first = x.activate_once(unit, longest_turn);
  // From here on, `x` may run elsewhere. Only the woken executors matter.
  for (std::size_t i = 0; first != resume_later && i < activations_in_a_row;
       ++i) {
    if (!light_to_run.empty())
      run_light(unit);
    else if (auto* next = std::exchange(next_to_run, nullptr))
      next->run_once(unit, longest_turn);
    else
      break;
  }
  schedule_next();
  return first;
}

void executor::run_once(worker* unit, std::int64_t turn) {
  if (activate_once(unit, turn) == resume_later)
    schedule();
  else
    deref();
}

void executor::schedule_next() {
  for (auto* x : light_to_run)
    x->schedule();
  light_to_run.clear();
  if (auto* x = std::exchange(next_to_run, nullptr))
    x->schedule();
}

void executor::run_light(worker* unit) {
  thread_local std::vector<executor*> called;
  called.swap(light_to_run);
  for (auto* x : called)
    x->run_once(unit, 0);
  called.clear();
}

executor::outcome executor::activate_once(worker* unit, std::int64_t turn) {
  flushed_ = run_->time().elapsed();
  auto end = flushed_ + turn;
  unit_ = unit;
  running_.store(true, std::memory_order_relaxed);
  for (;;) {
    // An executor that is called on the way calls no further ones.
    if (turn > 0)
      run_light(unit);
    schedule_next();
    // Before the inboxes are read: a promise for which no call is due is in one
    // of them.
    if (!awaits_promises_.load(std::memory_order_relaxed))
      awaits_promises_.exchange(true, std::memory_order_seq_cst);
    // Acquire: makes the work announced by the signal visible.
    signalled_.exchange(false, std::memory_order_seq_cst);
    auto begin = run_->time().elapsed();
    began_.store(begin, std::memory_order_relaxed);
    hand_over_.begin_call(begin, call_costs());
    take_joined();
    take_notices();
    handle_commands(unit);
    auto has_more = handle_mailboxes(unit);
    schedule_next();
    has_more = advance(begin) || has_more;
    end_members(unit);
    end_call();
    if (exchange_ != exchange::none && !seating_
        && (executed_some_ || (nodes_ && nodes_->has_due_newcomers())))
      has_more = exchange_nodes() || has_more;
    wake_others();
    auto now = run_->time().elapsed();
    auto due = hand_over_.end_call(now) || !has_more || looks_around_;
    if (due || now >= end || waits_to_flush(now))
      flush(now);
    if (seating_ ? wait_for_others()
                 : std::exchange(looks_around_, false) && join_busy())
      return awaiting_message;
    if (!has_more) {
      note_awaits();
      running_.store(false, std::memory_order_relaxed);
      if (give_token_back())
        return awaiting_message;
      running_.store(true, std::memory_order_relaxed);
    }
    // Members may wake each other forever, over physical connections. A node
    // that never yields its worker would also keep its neighbours from joining.
    if (now >= end || (load_.presumed_light() && !nodes_)) {
      running_.store(false, std::memory_order_relaxed);
      return resume_later;
    }
  }
}

bool executor::advance(std::int64_t now) {
  executed_some_ = measured_each_ = false;
  if (members_.empty())
    return false;
  if (timer_ <= now)
    timer_ = engine::node::no_wake;
  auto before = executed();
  auto measured
    = (exchange_ == exchange::by_load
       || (exchange_ == exchange::by_division && !is_part_))
      && load_.wants_time();
  measured_each_
    = measured && nodes_ && exchange_ == exchange::by_load
      && load_.measures_each();
  if (nodes_)
    nodes_->measure(measured_each_);
  auto state = measured ? advance_measured() : advance_nodes();
  executed_some_ = executed() != before;
  return state == engine::node::state::more;
}

engine::node::state executor::advance_measured() {
  using enum engine::hand_over_timer::measure;
  auto before = executed();
  auto messages_before = messages();
  hand_over_.begin_measurement(load_.precise() ? of_thread : elapsed);
  auto result = advance_nodes();
  auto for_messages
    = static_cast<std::int64_t>(messages() - messages_before)
      * engine::group::message_cost;
  auto took = hand_over_.end_measurement() - for_messages;
  load_.note(
    executed() - before, std::max(took, std::int64_t{0}), members_.size());
  light_.store(load_.light(), std::memory_order_relaxed);
  quick_.store(exchange_ == exchange::by_load && load_.mean() <= quick_tag,
               std::memory_order_relaxed);
  return result;
}

engine::node::state executor::advance_nodes() {
  if (nodes_)
    return nodes_->advance(
      load_.limit(members_.size() > 1
                    ? std::max(tags_of_group, tags_of_member * members_.size())
                    : tags_of_node),
      hand_over_);
  return members_.front()->engine().advance(
    seating_ ? tags_before_seating
    : load_.presumed_light()
      ? tags_of_new_node
      : tags_of_node,
    hand_over_);
}

std::uint64_t executor::executed() const noexcept {
  return nodes_ ? nodes_->executed() : members_.front()->engine().progress();
}

std::uint64_t executor::messages() const noexcept {
  std::uint64_t result = 0;
  for (auto* x : members_)
    result += x->engine().messages();
  return result;
}

std::size_t executor::call_costs() const noexcept {
  // A call of a part scans all members several times.
  return is_part_ ? 4 * members_.size() : members_.size();
}

void executor::end_call() {
  auto wake_at = engine::node::no_wake;
  for (auto* x : members_) {
    x->notify_others();
    wake_at = std::min(wake_at, x->engine().wake_at());
  }
  if (wake_at >= timer_)
    return;
  timer_ = wake_at;
  run_->time().wake_at(members_.front()->engine().id(), wake_at);
}

void executor::note_awaits() {
  if (run_->actors().others() == nullptr)
    return;
  auto awaits
    = nodes_ ? nodes_->awaits_promises()
             : std::ranges::any_of(
               members_, [](auto* x) { return x->engine().awaits_promises(); });
  awaits_promises_.store(awaits, std::memory_order_relaxed);
}

bool executor::waits_to_flush(std::int64_t now) const noexcept {
  return now - flushed_ >= engine::hand_over_timer::interval;
}

void executor::flush(std::int64_t now) {
  flushed_ = now;
  // If all nodes left, the run may end at any time.
  if (auto* others = run_->actors().others();
      others != nullptr && !members_.empty())
    others->flush();
}

void executor::handle_commands(worker* unit) {
  // Commands that arrive now are handled as well: while a node's start() ran,
  // the coordinator may have asked where the node can end.
  for (auto due = take_commands(); !due.empty(); due = take_commands()) {
    auto some_left = false;
    for (auto& [node, content] : due)
      if (!node->has_reported()) {
        schedule_next();
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

std::vector<executor::command> executor::take_commands() {
  std::vector<command> result;
  std::lock_guard guard{mutex_};
  result.swap(commands_);
  return result;
}

bool executor::handle_mailboxes(worker* unit) {
  std::vector<node_mailbox*> due;
  {
    std::lock_guard guard{mutex_};
    due.swap(mailboxes_);
  }
  auto result = false;
  for (auto* x : due) {
    if (x->has_left()) {
      x->end(unit);
    } else {
      schedule_next();
      if (handle_messages_of(*x, unit)) {
        std::lock_guard guard{mutex_};
        mailboxes_.push_back(x);
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
  erase(node);
  if (nodes_)
    nodes_->abandon(node.engine());
  x.end(unit);
  node.report_vanished(x.end_reason());
  return false;
}

void executor::take_notices() {
  auto* checkpoints = run_->checkpoints();
  if (checkpoints == nullptr || checkpoints->notices() == notices_)
    return;
  auto news = checkpoints->notices_after(notices_);
  for (auto* x : members_)
    x->take_notices(news, notices_);
}

void executor::end_members(worker* unit) {
  auto first
    = std::stable_partition(members_.begin(), members_.end(), [](auto* x) {
        return !x->has_to_report();
      });
  std::vector<node_runner*> ended{first, members_.end()};
  members_.erase(first, members_.end());
  update_size();
  for (auto* x : ended)
    x->report_exit(unit);
}

bool executor::end_member(node_runner& x, worker* unit) {
  if (!x.has_to_report())
    return false;
  erase(x);
  x.report_exit(unit);
  return true;
}

void executor::erase(node_runner& x) {
  std::erase(members_, &x);
  update_size();
}

void executor::update_size() noexcept {
  size_.store(
    static_cast<std::uint32_t>(members_.size()), std::memory_order_relaxed);
}

// -- exchanging nodes ---------------------------------------------------------

bool executor::wait_for_others() {
  if (!members_.empty() && is_silent()) {
    auto& node = members_.front()->engine();
    light_.store(
      node.started() && node.next_tag() == forever, std::memory_order_relaxed);
    return false;
  }
  if (members_.empty() || !load_.light()) {
    leave_seating();
    return false;
  }
  return std::exchange(seating_, nullptr)->arrive(*this, run_->time());
}

void executor::leave_seating() {
  if (auto others = std::exchange(seating_, nullptr))
    others->skip();
}

void executor::set_light_tag() {
  if (exchange_ != exchange::by_load)
    return;
  auto is_complete = [loops = find_loops(), this](auto* x) {
    return loops.contains(loop_of(*x));
  };
  auto waits_for_loop = [&](auto* x) {
    return loop_size(*x) >= 2 * least_part && !x->was_heavy()
           && !is_complete(x);
  };
  auto is_long = run_->executors().workers() == 1
                 || std::ranges::any_of(members_, waits_for_loop);
  load_.set_light_tag(is_long ? longest_light_tag : group_load::light_tag);
}

void executor::reset_load(unsigned heavy) noexcept {
  load_.reset(heavy);
  quick_.store(false, std::memory_order_relaxed);
}

std::size_t executor::loop_size(node_runner& x) const noexcept {
  return run_->executors().loop_size(x.engine().id());
}

bool executor::is_silent() const noexcept {
  return load_.presumed_light() && !load_.light();
}

bool executor::exchange_nodes() {
  if (members_.empty() || is_part_)
    return false;
  if (nodes_ && wants_division() && divide())
    return true;
  if (!exchanges())
    return false;
  if (nodes_ && nodes_->has_due_newcomers()) {
    split_newcomers();
    return true;
  }
  if (members_.size() > 1) {
    auto leaving = exchange_ == exchange::by_load ? find_heavy() : find_any();
    if (leaving.size() == members_.size())
      leaving.pop_back();
    if (!leaving.empty()) {
      split_heavy(leaving);
      return true;
    }
  }
  looks_around_ = wants_neighbours();
  if (!looks_around_)
    return false;
  auto near = neighbours();
  return absorb_idle(near) || (wants_siblings(near) && absorb_idle(siblings()));
}

bool executor::wants_neighbours() noexcept {
  return exchange_ == exchange::by_load
           ? load_.wants_neighbours()
           : random_number() % 4 == 0;
}

void executor::take_joined() {
  std::vector<executor*> joined;
  {
    std::lock_guard guard{mutex_};
    joined.swap(joining_);
  }
  absorb_joined(std::move(joined));
  if (auto all = std::exchange(takes_seats_of_, nullptr))
    absorb_idle(all->all());
}

void executor::absorb_joined(std::vector<executor*> joined) {
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
    std::for_each(rest, joined.end(), [](auto* x) { x->go_on_alone(); });
    joined.erase(rest, joined.end());
    auto others = absorb(joined);
    for (auto* x : joined)
      x->deref();
    joined = std::move(others);
  }
}

bool executor::accepts(const executor& other,
                       std::size_t besides) const noexcept {
  auto theirs = other.size();
  auto& limits = run_->executors().limits();
  auto limit
    = quick_.load(std::memory_order_relaxed) ? limits.quick : limits.usual;
  return &other != this && !is_part_ && !other.is_part_
         && other.light_.load(std::memory_order_relaxed) && theirs > 0
         && size() > 0 && size() + besides + theirs <= limit;
}

bool executor::may_take(const executor& other) const noexcept {
  return light_.load(std::memory_order_relaxed) && accepts(other);
}

std::vector<executor*> executor::absorb(std::span<executor* const> others) {
  std::vector<executor*> joined;
  if (others.empty())
    return joined;
  std::vector<engine::group*> groups;
  std::vector<engine::node*> alone;
  std::vector<engine::node*> newcomers;
  if (!nodes_ && is_silent())
    newcomers.push_back(&members_.front()->engine());
  make_group();
  for (auto* x : others) {
    if (x->nodes_) {
      groups.push_back(x->nodes_.get());
      continue;
    }
    auto& node = x->members_.front()->engine();
    alone.push_back(&node);
    if (x->is_silent())
      newcomers.push_back(&node);
  }
  if (!groups.empty())
    nodes_->fuse(groups);
  if (!alone.empty())
    nodes_->add(alone);
  for (auto* x : newcomers)
    nodes_->add_newcomer(*x);
  leave_seating();
  for (auto* x : others) {
    take_members(*x, joined);
    x->leave_seating();
  }
  name_group();
  set_light_tag();
  reset_load();
  // A thread may have signalled the old executor of a node until now. The node
  // is called here after its move is visible.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  for (auto* x : others)
    give_back(*x);
  return joined;
}

void executor::take_members(executor& other, std::vector<executor*>& joined) {
  other.nodes_.reset();
  std::scoped_lock guard{mutex_, other.mutex_};
  for (auto* x : other.members_)
    x->move_to(*this);
  members_.insert(members_.end(), other.members_.begin(), other.members_.end());
  other.members_.clear();
  std::move(other.commands_.begin(), other.commands_.end(),
            std::back_inserter(commands_));
  other.commands_.clear();
  mailboxes_.insert(
    mailboxes_.end(), other.mailboxes_.begin(), other.mailboxes_.end());
  other.mailboxes_.clear();
  joined.insert(joined.end(), other.joining_.begin(), other.joining_.end());
  other.joining_.clear();
  notices_ = std::min(notices_, other.notices_);
  other.timer_ = engine::node::no_wake;
  other.looks_around_ = false;
  other.running_.store(false, std::memory_order_relaxed);
  other.light_.store(
    exchange_ == exchange::at_random, std::memory_order_relaxed);
  other.update_size();
  update_size();
}

void executor::give_back(executor& other) {
  run_->executors().give_back(other);
  do
    other.signalled_.store(false, std::memory_order_seq_cst);
  while (!other.give_token_back());
}

bool executor::absorb_idle(std::span<executor* const> from) {
  std::vector<executor*> found;
  std::size_t nodes = 0;
  for (auto* x : from) {
    if (!accepts(*x, nodes) || !x->take_token())
      continue;
    // Another thread may have had the token since then.
    if (accepts(*x, nodes)) {
      nodes += x->size();
      found.push_back(x);
    } else if (!x->give_token_back()) {
      x->ref();
      x->schedule();
    }
  }
  absorb_joined(absorb(found));
  return !found.empty();
}

bool executor::join_busy() {
  auto now = run_->time().elapsed();
  // Only join a lower number: two executors must not wait for each other.
  auto may_join = [&](const executor& x) {
    return x.number_ < number_ && x.may_take(*this)
           && (!x.running_.load(std::memory_order_relaxed)
               || now - x.began_.load(std::memory_order_relaxed)
                    <= longest_call);
  };
  auto join = [&](executor& x) {
    auto mine = false;
    {
      std::lock_guard guard{x.mutex_};
      if (x.size() == 0)
        return false;
      ref();
      x.joining_.push_back(this);
      // Set the timer under the lock: as soon as `x` can take the nodes, the
      // run may end.
      auto patience
        = load_.presumes_light()
            ? patience_without_haste
            : patience_with_neighbour;
      run_->time().call_at(now + patience, [this, &x] { x.let_go(*this); });
      mine = x.claim();
    }
    if (mine) {
      schedule_next();
      next_to_run = &x;
    }
    return true;
  };
  auto join_one_of = [&](const std::vector<executor*>& xs) {
    return std::any_of(xs.begin(), xs.end(), [&](auto* x) {
      return may_join(*x) && join(*x);
    });
  };
  auto near = neighbours();
  if (join_one_of(near))
    return true;
  if (!wants_siblings(near))
    return false;
  auto all = siblings();
  return all.size() <= few_siblings && join_one_of(all);
}

void executor::let_go(executor& x) {
  {
    std::lock_guard guard{mutex_};
    if (std::erase(joining_, &x) == 0)
      return;
  }
  x.go_on_alone();
}

void executor::go_on_alone() {
  load_.look_again();
  running_.store(false, std::memory_order_relaxed);
  schedule();
}

bool executor::wants_siblings(std::span<executor* const> near) noexcept {
  if (exchange_ == exchange::at_random)
    return random_number() % 2 == 0;
  // Otherwise this executor can join the group of the neighbour in the middle.
  return std::none_of(near.begin(), near.end(), [this](auto* x) {
    return x->may_take(*this);
  });
}

executor* executor::partner(engine::node_id id) const {
  if (run_->nodes().find(id) == nullptr)
    return nullptr;
  auto& x = run_->actors().runner_at(id).runs_on();
  return &x != this && x.exchanges() ? &x : nullptr;
}

std::vector<executor*> executor::neighbours() {
  std::vector<executor*> result;
  std::unordered_set<executor*> seen;
  std::vector<engine::node_id> nodes; // with connections to follow
  std::size_t followed = 0;
  auto& graph = run_->graph().topology();
  auto reach = [&](engine::node_id id) {
    ++followed;
    auto* x = partner(id);
    if (x == nullptr || !seen.insert(x).second)
      return;
    result.push_back(x);
    if (x->light_.load(std::memory_order_relaxed))
      nodes.push_back(id);
  };
  auto sight
    = std::min(members_.size() * connections_of_member, connections_in_sight);
  auto first = random_number() % members_.size();
  for (std::size_t i = 0; i < std::min(members_.size(), sight); ++i)
    nodes.push_back(members_[(first + i) % members_.size()]->engine().id());
  for (std::size_t i = 0; i < nodes.size() && followed < sight; ++i) {
    auto id = nodes[i];
    for (auto c : graph.outgoing(id))
      if (auto& connection = graph.connections()[c]; !connection.physical)
        reach(connection.target);
    for (auto c : graph.incoming(id))
      if (auto& connection = graph.connections()[c]; !connection.physical)
        reach(connection.source);
  }
  return result;
}

std::vector<executor*> executor::siblings() {
  std::vector<executor*> result;
  auto& graph = run_->graph().topology();
  auto add_near
    = [&](std::span<const std::uint32_t> all, std::uint32_t own, auto end_of) {
        auto add = [&](std::uint32_t c) {
          auto* x
            = graph.connections()[c].physical
                ? nullptr
                : partner(end_of(graph.connections()[c]));
          if (x != nullptr && (result.empty() || result.back() != x))
            result.push_back(x);
        };
        auto at = static_cast<std::size_t>(
          std::find(all.begin(), all.end(), own) - all.begin());
        auto before = all.first(at).last(std::min(at, siblings_in_sight));
        auto after
          = all.subspan(at).first(std::min(all.size() - at, siblings_in_sight));
        std::for_each(before.rbegin(), before.rend(), add);
        std::for_each(after.begin(), after.end(), add);
      };
  auto id = members_[random_number() % members_.size()]->engine().id();
  for (auto c : graph.incoming(id))
    if (auto& connection = graph.connections()[c]; !connection.physical)
      add_near(graph.outgoing(connection.source), c, [](auto& x) {
        return x.target;
      });
  for (auto c : graph.outgoing(id))
    if (auto& connection = graph.connections()[c]; !connection.physical)
      add_near(graph.incoming(connection.target), c, [](auto& x) {
        return x.source;
      });
  return result;
}

std::vector<node_runner*> executor::find_heavy() {
  std::vector<node_runner*> result;
  if (!measured_each_)
    return result;
  auto has_helpers = run_->executors().workers() > 1;
  for (std::size_t i = 0; i < nodes_->size(); ++i) {
    auto& x = run_->actors().runner_at(nodes_->member(i).id());
    // A large loop is never cut here, even if it began in a group without
    // limit.
    if (loop_size(x) > group_limits{}.loop)
      continue;
    auto& load = nodes_->load(i);
    auto took_long = std::exchange(load.longest, 0) >= group_load::long_tag;
    auto has_enough = load.samples >= load.enough_samples;
    auto heavy = has_helpers && load_.is_heavy(load, loop_size(x) > 1);
    if (!load.precise) {
      if (heavy || took_long)
        load.begin(true);
      continue;
    }
    load.long_ones += took_long ? 1 : 0;
    if (heavy || load.long_ones > most_long_tags)
      result.push_back(&x);
    else if (has_enough && load.long_ones == 0)
      load.begin(false);
  }
  // A node may be in the group but not in `members_`, because its actor was
  // ended. It is no longer called.
  std::erase_if(result, [this](auto* x) {
    return std::find(members_.begin(), members_.end(), x) == members_.end();
  });
  return result;
}

std::vector<node_runner*> executor::find_any() {
  std::vector<node_runner*> result;
  if (random_number() % 4 == 0)
    for (auto* x : members_)
      if (random_number() % members_.size() < 2)
        result.push_back(x);
  return result;
}

std::uint32_t executor::random_number() noexcept {
  // Marsaglia's xorshift.
  random_ ^= random_ << 13;
  random_ ^= random_ >> 17;
  random_ ^= random_ << 5;
  return random_;
}

bool executor::wants_division() noexcept {
  if (exchange_ == exchange::at_random)
    return random_number() % 4 == 0;
  return load_.heavy() && run_->executors().workers() > 1
         && nodes_->executed() >= 2 * reached_.tags;
}

bool executor::divide() {
  auto by_load = exchange_ != exchange::at_random;
  if (!by_load
      && (members_.size() > most_divided_at_random || !nodes_->is_loop()))
    return false;
  auto last = note_reached();
  std::vector<node_runner*> loop; // the largest one
  for (auto& [number, members] : find_loops())
    if (members.size() > loop.size())
      loop = members;
  auto count
    = by_load ? std::min(
        parts_of_worker * run_->executors().workers(), loop.size() / least_part)
              : std::min<std::size_t>(2 + random_number() % 3, loop.size());
  if (count < 2)
    return false;
  if (loop.size() < members_.size()) {
    auto rest = members_;
    std::erase_if(rest, [&](auto* x) {
      return loop_of(*x) == loop_of(*loop.front());
    });
    split(rest, 1).front()->begin();
  }
  if (!nodes_->is_loop())
    return false;
  auto division = nodes_->find_division(count);
  if (!division || (by_load && !pays(*division, last)))
    return false;
  std::vector<executor*> others;
  std::vector<engine::group*> groups;
  while (others.size() + 1 < division->parts()) {
    auto& x = run_->executors().take(run_, exchange::none);
    x.nodes_ = std::make_unique<engine::group>();
    others.push_back(&x);
    groups.push_back(x.nodes_.get());
  }
  nodes_->divide(
    *division, groups, [&](auto nodes, auto distances, auto& clocked) -> auto& {
      return run_->executors().make_table(
        std::move(nodes), std::move(distances), clocked);
    });
  for (auto* x : others)
    x->is_part_ = true;
  is_part_ = true;
  hand_over(others);
  for (auto* x : others)
    x->begin();
  return true;
}

std::uint32_t executor::loop_of(node_runner& x) const {
  return run_->graph().topology().loop_of(x.engine().id());
}

std::unordered_map<std::uint32_t, std::vector<node_runner*>> executor::
  find_loops() const {
  std::unordered_map<std::uint32_t, std::vector<node_runner*>> result;
  for (auto* x : members_)
    if (auto size = loop_size(*x); size > 1 && size <= members_.size())
      result[loop_of(*x)].push_back(x);
  std::erase_if(result, [this](auto& x) {
    return x.second.size() < loop_size(*x.second.front());
  });
  return result;
}

void executor::begin() {
  ref();
  schedule();
}

executor::reached executor::note_reached() noexcept {
  auto result = std::exchange(reached_, {.tags = nodes_->executed()});
  for (auto* x : members_)
    reached_.ns = std::max(reached_.ns, x->engine().logical().ns);
  return result;
}

bool executor::pays(const engine::loop_division& division,
                    const reached& last) const noexcept {
  auto tags = static_cast<double>(reached_.tags - last.tags);
  auto span = static_cast<double>(reached_.ns - last.ns);
  // The work that is executed before the parts must wait for each other.
  auto work = static_cast<double>(load_.mean()) * tags
              * static_cast<double>(division.lookahead().ns());
  auto members = static_cast<double>(members_.size());
  return span > 0 && work >= least_work_of_member * members * span;
}

void executor::hand_over(std::span<executor* const> others) {
  std::unordered_map<const engine::group*, executor*> owners;
  for (auto* x : others)
    owners.emplace(x->nodes_.get(), x);
  auto stays = [&](auto* x) { return !owners.contains(x->engine().group()); };
  auto leaving = std::stable_partition(members_.begin(), members_.end(), stays);
  for (auto i = leaving; i != members_.end(); ++i)
    owners.at((*i)->engine().group())->members_.push_back(*i);
  members_.erase(leaving, members_.end());
  update_size();
  for (auto* x : others) {
    x->notices_ = notices_;
    std::scoped_lock guard{mutex_, x->mutex_};
    for (auto* y : x->members_)
      y->move_to(*x);
    x->update_size();
    auto move_its = [](auto& from, auto& to, auto is_its) {
      auto its
        = std::stable_partition(from.begin(), from.end(), std::not_fn(is_its));
      std::move(its, from.end(), std::back_inserter(to));
      from.erase(its, from.end());
    };
    auto has = [x](node_runner& y) { return &y.runs_on() == x; };
    move_its(commands_, x->commands_, [&](auto& y) { return has(*y.node); });
    move_its(mailboxes_, x->mailboxes_, [&](auto* y) {
      return has(y->node());
    });
  }
  std::atomic_thread_fence(std::memory_order_seq_cst);
  // The timer may have been set for a node that moved.
  timer_ = engine::node::no_wake;
  name_group();
  for (auto* x : others) {
    x->timer_ = engine::node::no_wake;
    x->name_group();
  }
}

std::vector<executor*> executor::split(
  std::span<node_runner* const> leaving, std::size_t count) {
  std::vector<executor*> result;
  std::vector<engine::node*> nodes;
  std::vector<engine::group*> groups;
  for (auto* x : leaving) {
    if (result.size() < count) {
      result.push_back(&run_->executors().take(run_, exchange_));
      result.back()->nodes_ = std::make_unique<engine::group>();
    }
    nodes.push_back(&x->engine());
    groups.push_back(result.back()->nodes_.get());
  }
  nodes_->split(nodes, groups);
  hand_over(result);
  set_light_tag();
  for (auto* x : result) {
    x->set_light_tag();
    x->reset_load();
  }
  return result;
}

void executor::split_newcomers() {
  std::vector<node_runner*> leaving;
  for (auto* x : nodes_->due_newcomers())
    leaving.push_back(&run_->actors().runner_at(x->id()));
  for (auto* x : split(leaving, leaving.size())) {
    x->load_.presume_light();
    x->begin();
  }
}

void executor::split_heavy(std::span<node_runner* const> leaving) {
  auto apart = split(leaving, leaving.size());
  for (std::size_t i = 0; i < leaving.size(); ++i) {
    apart[i]->reset_load(leaving[i]->note_heavy());
    apart[i]->begin();
  }
  load_.forget_heavy();
  quick_.store(false, std::memory_order_relaxed);
}

// -- observing ----------------------------------------------------------------

bool executor::observe(node_runner& x, observation& into) {
  if (!take_token())
    return false;
  auto has_it = &x.runs_on() == this;
  if (has_it && !x.engine().left()) {
    x.engine().settle_for_observer();
    into.put(x.engine().id(), x.engine().look());
  }
  // A signal that arrived meanwhile found the token taken.
  if (!give_token_back()) {
    ref();
    schedule();
  }
  return has_it;
}

// -- overridden functions of CAF ----------------------------------------------

caf::resumable::resume_result executor::resume(worker* unit, size_t) {
  return run(*this, unit);
}

} // namespace caf::rosia::detail
