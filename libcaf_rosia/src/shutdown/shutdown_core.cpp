// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "shutdown/shutdown_core.hpp"

#include "base/duration.hpp"
#include "base/text.hpp"
#include "caf/rosia/actor_names.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_registry.hpp>
#include <caf/actor_system.hpp>
#include <caf/scheduled_actor.hpp>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <iterator>
#include <stdexcept>
#include <unordered_set>

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

namespace caf::rosia::detail {

adopted_program::~adopted_program() {
  // nop
}

namespace {

using clock = shutdown_core::clock;
using state = part_report::state;

/// How many actors are asked to end at once, without the lock.
constexpr std::size_t letters_at_once = 64;

/// How many actors end at the same time or soon, as all workers are busy.
constexpr std::size_t ends_at_once = 3;

/// Parts lie together: two in a block of a deque, and that often.
constexpr std::size_t participants_a_block = 2;
constexpr std::size_t participants_at_once = 128;

/// How many actors a report looks at more closely.
constexpr std::size_t most_looks = 100;

constexpr int status_failed = 1;
constexpr int status_second_signal = 128;
constexpr int status_deadline = 129;

constexpr std::chrono::milliseconds shortest_pause{1};
constexpr std::chrono::milliseconds longest_pause{50};

/// What the process gets to say why it ends, once it is late.
constexpr std::chrono::seconds time_to_log{2};

bool is_over(state x) noexcept {
  return x == state::ended || x == state::failed;
}

clock::time_point after(clock::time_point t, std::chrono::nanoseconds d) {
  return d > clock::time_point::max() - t ? clock::time_point::max() : t + d;
}

} // namespace

// -- constructors, destructors ------------------------------------------------

shutdown_core::shutdown_core(caf::actor_system& sys, shutdown_options opts)
  : system_(&sys), options_(std::move(opts)), log_(options_.log_level),
    logger_(log_.make("shutdown")),
    watch_(std::in_place, options_.signals, wake_.get(), options_.sighup),
    participants_memory_({participants_at_once / participants_a_block,
                          participants_a_block * sizeof(participant)}),
    participants_(&participants_memory_), look_pause_(shortest_pause) {
  if (options_.end_process)
    last_resort_.emplace();
  for (auto* name : {"tasks", "actors", "final"})
    phases_.emplace_back(*this, name);
  phases_[1].options.after = {"tasks"};
  phases_[2].options.after = {"actors"};
}

shutdown_core::~shutdown_core() {
  // What an actor touches at its end is in the first half.
  static_assert(sizeof(participant) <= 2 * alignof(participant));
}

std::shared_ptr<shutdown_core> shutdown_core::make(
  caf::actor_system& sys, shutdown_options opts) {
  return {
    new shutdown_core(sys, std::move(opts)), [](auto* x) { x->abandon(); }};
}

void shutdown_core::abandon() noexcept {
  kept_by_caf_ = participants_.size() + 1;
  std::size_t not_kept = 1;
  for (auto& x : participants_)
    not_kept += x.abandon();
  let_go_of(not_kept);
}

void shutdown_core::let_go_of(std::size_t parts) noexcept {
  if (kept_by_caf_.fetch_sub(parts) == parts)
    delete this;
}

// -- building -----------------------------------------------------------------

void shutdown_core::set_phase(const std::string& name, phase_options opts) {
  lock guard{mutex_};
  for (auto& x : opts.after)
    static_cast<void>(find_phase(x));
  if (opts.timeout.count() < 0)
    throw std::invalid_argument("phase '" + name + "' has a negative timeout");
  auto i = std::find_if(phases_.begin(), phases_.end(), [&](auto& x) {
    return x.name == name;
  });
  if (i == phases_.end()) {
    // Nobody names it yet.
    phases_.emplace_back(*this, name).options = std::move(opts);
    return;
  }
  if (i->began)
    throw std::logic_error("phase '" + name + "' has begun already");
  std::swap(i->options, opts);
  if (auto cycle = find_cycle(); !cycle.empty()) {
    i->options = std::move(opts);
    throw std::invalid_argument(
      "phase '" + name + "' would come after itself: " + cycle);
  }
}

std::uint64_t shutdown_core::add_task(
  const std::string& in_phase, const std::string& name,
  std::function<void(const shutdown_reason&)> what) {
  lock guard{mutex_};
  auto p = find_phase(in_phase);
  if (phases_[p].began)
    throw std::logic_error(
      "task '" + name + "' is added too late: phase '" + in_phase
      + "' has begun already");
  tasks_.push_back({++numbers_, p, name, std::move(what)});
  return numbers_;
}

bool shutdown_core::remove_task(std::uint64_t id) {
  std::list<task> removed; // code of others, which goes without the lock
  lock guard{mutex_};
  auto i = std::find_if(tasks_.begin(), tasks_.end(), [&](auto& x) {
    return x.id == id;
  });
  if (i == tasks_.end() || phases_[i->phase].began)
    return false;
  removed.splice(removed.end(), tasks_, i);
  return true;
}

shutdown_guard shutdown_core::make_guard(
  const std::string& name, bool temporary, part_report::kind what) {
  lock guard{mutex_};
  auto id = ++numbers_;
  guards_.emplace(id, guard_record{name, temporary, what, clock::now()});
  return {shared_from_this(), id};
}

shutdown_guard shutdown_core::make_child(
  std::uint64_t parent, const std::string& name) {
  lock guard{mutex_};
  auto& x = guards_.at(parent);
  auto full = x.name + '/' + name;
  auto temporary = x.temporary;
  guard.unlock();
  return make_guard(full, temporary);
}

void shutdown_core::drop_guard(std::uint64_t id) noexcept {
  lock guard{mutex_};
  auto i = guards_.find(id);
  auto x = std::move(i->second);
  guards_.erase(i);
  if (begun_at_)
    dropped_.push_back({x.name, x.what, clock::now()});
  guard.unlock();
  if (!x.temporary)
    begin({x.what == kind::task ? "task '" + x.name + "' has returned"
                                : "guard '" + x.name + "' was dropped"});
  wake_.notify();
}

void shutdown_core::spawn(const std::string& name, bool temporary,
                          std::function<void(std::stop_token)> what) {
  auto held = make_guard(name, temporary, kind::task);
  auto fun = [this, name, what = std::move(what), held = std::move(held),
              token = stop_.get_token()]() mutable {
    run_guarded(
      "task", name, [&] { what(token); }, true);
    what = nullptr;
    held.drop();
  };
  start_thread(std::move(fun));
}

void shutdown_core::add_worker(
  const std::string& name, std::function<void()> notify,
  std::function<void()> await) {
  lock guard{mutex_};
  if (phases_[0].began)
    throw std::logic_error(
      "worker '" + name
      + "' is added too late: phase 'tasks' has begun "
        "already");
  workers_.push_back(
    {name, std::move(notify), std::move(await), state::running, {}, {}});
}

void shutdown_core::adopt(caf::strong_actor_ptr actor, std::string name,
                          part_options opts) {
  if (!actor)
    throw std::invalid_argument("participant '" + name + "' is no actor");
  auto& added = add(actor, nullptr, std::move(name), std::move(opts));
  // Also called if it is dead already; and not under the lock therefore.
  watch_end(actor, added);
  admit(added);
}

void shutdown_core::adopt(std::shared_ptr<adopted_program> program,
                          std::string name, part_options opts) {
  auto& added = add(nullptr, program, std::move(name), std::move(opts));
  program->on_over(
    [self = shared_from_this(), &added](const adopted_program::outcome& how) {
      self->over(added, how);
    });
  admit(added);
}

void shutdown_core::subscribe(
  std::function<void(const dead_letter&)> subscriber) {
  lock guard{mutex_};
  subscribers_.push_back(std::move(subscriber));
  has_subscribers_ = true;
}

// -- shutting down ------------------------------------------------------------

bool shutdown_core::begin(shutdown_reason why, bool by_signal) {
  lock guard{mutex_};
  return begin_locked(std::move(why), by_signal);
}

bool shutdown_core::begin_locked(shutdown_reason why, bool by_signal) {
  if (begun_at_)
    return false;
  begun_at_ = clock::now();
  reason_ = std::move(why);
  by_signal_ = by_signal;
  worst_ = std::max(worst_, reason_.status);
  wake_.notify();
  return true;
}

void shutdown_core::force(int status, const std::string& why) {
  lock guard{mutex_};
  if (forced_ || over_)
    return;
  begin_locked({why}, false);
  forced_ = true;
  forced_at_ = clock::now();
  status_ = status;
  set_last_resort();
  guard.unlock();
  logger_->warn("{}: the remaining participants are aborted; {}", why,
                to_string(this->status()));
  wake_.notify();
}

int shutdown_core::wait(std::optional<std::chrono::nanoseconds> deadline) {
  be_awaited();
  lock guard{mutex_};
  if (deadline) {
    options_.deadline = *deadline;
    set_last_resort();
    wake_.notify();
  }
  changed_.wait(guard, [this] { return over_; });
  return status_;
}

void shutdown_core::be_awaited() {
  lock guard{mutex_};
  awaited_ = true;
  wake_.notify();
}

// -- phases -------------------------------------------------------------------

std::size_t shutdown_core::find_phase(const std::string& name) const {
  for (std::size_t i = 0; i < phases_.size(); ++i)
    if (phases_[i].name == name)
      return i;
  throw std::invalid_argument("there is no phase '" + name + "'");
}

std::string shutdown_core::find_cycle() const {
  std::vector<int> marks(phases_.size());
  std::vector<std::size_t> path;
  std::string result;
  std::function<bool(std::size_t)> visit = [&](std::size_t i) {
    if (marks[i] == 2)
      return false;
    path.push_back(i);
    if (marks[i] == 1) {
      auto first = std::find(path.begin(), path.end(), i);
      for (auto j = first; j != path.end(); ++j)
        result += (result.empty() ? "" : " after ") + phases_[*j].name;
      return true;
    }
    marks[i] = 1;
    for (auto& x : phases_[i].options.after)
      if (visit(find_phase(x)))
        return true;
    marks[i] = 2;
    path.pop_back();
    return false;
  };
  for (std::size_t i = 0; i < phases_.size(); ++i)
    if (visit(i))
      break;
  return result;
}

std::optional<std::size_t> shutdown_core::next_phase() const {
  for (std::size_t i = 0; i < phases_.size(); ++i)
    if (!phases_[i].began
        && std::all_of(
          phases_[i].options.after.begin(), phases_[i].options.after.end(),
          [&](auto& x) { return phases_[find_phase(x)].over; }))
      return i;
  return std::nullopt;
}

std::vector<shutdown_core::task*> shutdown_core::enter_phase(
  std::size_t index) {
  std::vector<task*> result;
  lock guard{mutex_};
  auto& here = phases_[index];
  here.began = true;
  here.released = !here.options.together;
  here.began_at = clock::now();
  stage_ = here.name;
  look_pause_ = shortest_pause;
  for (auto& x : tasks_)
    if (x.phase == index) {
      x.now = state::ending;
      x.since = x.began_at = clock::now();
      result.push_back(&x);
    }
  if (here.living == 0)
    return result;
  outbox mail;
  auto now = here.began_at;
  for (std::size_t i = 0; i < participants_.size(); ++i) {
    if (i % letters_at_once == 0) {
      now = clock::now();
      prefetch_actors(here, i + letters_at_once);
    }
    if (participants_[i].phase == &here) {
      ask(participants_[i], mail, now);
      if (mail.actors.size() == letters_at_once)
        send(mail, guard);
    }
  }
  send(mail, guard);
  return result;
}

void shutdown_core::prefetch_actors(const phase& of, std::size_t first) {
  auto last = std::min(first + letters_at_once, participants_.size());
  for (auto i = first; i < last; ++i) {
    auto& x = participants_[i];
    __builtin_prefetch(&x.since, 1);
    auto* self = x.self();
    if (x.phase != &of || x.now != state::running || self == nullptr)
      continue;
    __builtin_prefetch(x.actor.get(), 1);
    __builtin_prefetch(self);
    __builtin_prefetch(&self->mailbox(), 1);
    if (i >= ends_at_once)
      participants_[i - ends_at_once].next_up = self;
  }
}

bool shutdown_core::await_phase(std::size_t index) {
  lock guard{mutex_};
  auto& here = phases_[index];
  auto end = after(here.began_at, here.options.timeout);
  // Who cannot handle its backlog holds up the others for so long only.
  auto last_release = after(here.began_at, here.options.timeout / 2);
  while (!is_done(index)) {
    auto now = clock::now();
    if (forced_ || now >= end)
      return false;
    if (!here.released && (here.undrained == 0 || now >= last_release))
      release(here, guard);
    auto next = here.released ? end : last_release;
    guard.unlock();
    wait_until(std::min(next, last_moment()));
    watch_deadline();
    guard.lock();
  }
  // Nobody who comes from now on is waited for here.
  here.over = true;
  here.over_at = clock::now();
  return true;
}

void shutdown_core::run_phase(std::size_t index) {
  auto to_run = enter_phase(index);
  auto& here = phases_[index];
  logger_->debug("phase '{}' begins", here.name);
  if (index == 0 && !workers_.empty()) {
    auto error
      = try_thread("the thread of", "workers", [this] { run_workers(); });
    if (!error.empty())
      for (auto& x : workers_)
        set(x, state::failed, error);
  }
  auto has_failed = std::make_shared<std::atomic<bool>>(false);
  auto note = [this, has_failed](task& x, const std::string& error) {
    x.what = nullptr; // it may have what keeps others alive
    if (!error.empty())
      *has_failed = true;
    set(x, error.empty() ? state::ended : state::failed, error);
  };
  for (auto* x : to_run) {
    auto error = try_thread("task", x->name, [this, x, note] {
      note(*x, run_guarded(
                 "task", x->name, [&] { x->what(reason_); }, false));
    });
    if (!error.empty())
      note(*x, error);
  }
  auto in_time = await_phase(index);
  if (!in_time && !forced()) {
    name_late(index);
    force_parts(&here);
  }
  if (!in_time) {
    lock guard{mutex_};
    here.over = here.late = true;
    here.over_at = clock::now();
    worst_ = std::max(worst_, status_deadline);
  }
  if (!here.options.recover && (!in_time || *has_failed))
    force(in_time ? status_failed : status_deadline,
          "phase '" + here.name + "' has failed");
}

void shutdown_core::run_workers() {
  // Nobody adds to them any more.
  for (auto& x : workers_) {
    if (x.notify)
      run_guarded("the notifier of worker", x.name, x.notify, false);
    x.notify = nullptr;
    set(x, state::ending, {});
  }
  for (auto i = workers_.rbegin(); i != workers_.rend(); ++i) {
    auto error = run_guarded("worker", i->name, i->await, false);
    i->await = nullptr;
    set(*i, error.empty() ? state::ended : state::failed, error);
  }
}

template <class T>
void shutdown_core::set(T& x, state now, const std::string& error) {
  lock guard{mutex_};
  x.now = now;
  x.since = clock::now();
  x.error = error;
  if (now == state::ending)
    x.began_at = x.since;
}

bool shutdown_core::is_done(std::size_t index) const {
  if (index == 0
      && (!guards_.empty()
          || std::any_of(workers_.begin(), workers_.end(), [](auto& x) {
               return !is_over(x.now);
             })))
    return false;
  for (auto& x : tasks_)
    if (x.phase == index && !is_over(x.now))
      return false;
  return phases_[index].living == 0;
}

void shutdown_core::name_late(std::size_t index) {
  short_list late;
  for (auto& x : status().parts)
    if (x.phase == phases_[index].name && !is_over(x.now))
      late.add(to_string(x));
  logger_->error(
    "phase '{}' is not over after its timeout ({}):{}", phases_[index].name,
    time_text(phases_[index].options.timeout), late.text());
}

// -- parts --------------------------------------------------------------------

shutdown_core::lock shutdown_core::lock_shortly() {
  constexpr auto attempts = 200;
  for (auto i = 0; i < attempts; ++i)
    if (lock result{mutex_, std::try_to_lock})
      return result;
  return lock{mutex_};
}

shutdown_core::participant& shutdown_core::add(
  const caf::strong_actor_ptr& actor, std::shared_ptr<adopted_program> program,
  std::string name, part_options opts) {
  auto* self = actor ? find_observable(actor) : nullptr;
  lock guard{mutex_};
  auto* in = &phases_[find_phase(opts.phase)];
  auto parent_id = nobody;
  if (!opts.parent.empty()) {
    auto i = by_name_.find(opts.parent);
    if (i == by_name_.end())
      throw std::invalid_argument(
        "participant '" + name + "' has the parent '" + opts.parent
        + "', which is no participant");
    parent_id = i->second;
    in = participants_[parent_id].phase;
  }
  auto id = static_cast<std::uint32_t>(participants_.size());
  auto& x = participants_.emplace_back(*in, self);
  x.what = actor ? kind::actor : kind::application;
  x.actor = caf::actor_cast<caf::weak_actor_ptr>(actor);
  if (program)
    x.app = &applications_.emplace_back(
      application_part{std::move(program), opts.begin_on_failure});
  x.parent = parent_id;
  if (parent_id != nobody) {
    auto& parent = participants_[parent_id];
    auto parent_state = parent.now.claim();
    if (parent_state == state::draining)
      parent.held = caf::actor_cast<caf::strong_actor_ptr>(parent.actor);
    // It might spawn them for ever: as often as one ends.
    x.awaited = !parent.drained && parent_state != state::ending
                && !is_over(parent_state);
    parent.children += x.awaited;
  }
  x.name = std::move(name);
  x.post_stop = std::move(opts.post_stop);
  x.has_hook = x.post_stop != nullptr;
  x.since = clock::now();
  ++in->living;
  in->undrained += x.what == kind::actor;
  by_name_.insert_or_assign(x.name, id);
  return x;
}

void shutdown_core::over(participant& x, const adopted_program::outcome& how) {
  lock guard{mutex_};
  // What comes of its abort is no news.
  auto fails = how.status != 0 && x.app->begin_on_failure && !x.forced;
  guard.unlock();
  if (fails) {
    auto what = "application '" + x.name + "' failed with status "
                + std::to_string(how.status);
    if (!how.error.empty())
      what += ": " + how.error;
    logger_->error("{}", what);
    guard.lock();
    worst_ = std::max(worst_, how.status);
    failures_.push_back(
      {kind::application, x.name, x.phase->name,
       how.error.empty() ? "status " + std::to_string(how.status) : how.error});
    guard.unlock();
    begin({what, how.status});
  }
  ended(x);
}

void shutdown_core::end_application(
  participant& x, std::optional<int> by_force) {
  auto has_started
    = by_force ? x.app->program->force_end(*by_force)
               : x.app->program->request_end();
  if (!has_started)
    ended(x);
}

void shutdown_core::admit(participant& x) {
  lock guard{mutex_};
  if (is_over(x.now))
    return;
  if (forced_ || x.phase->over) {
    auto name = x.name;
    force_part(x, guard);
    guard.unlock();
    logger_->warn(
      "participant '{}' is added when its phase is over: it is aborted", name);
  } else if (x.phase->began) {
    outbox mail;
    ask(x, mail, clock::now());
    send(mail, guard);
  }
}

void shutdown_core::ask(participant& x, outbox& mail, clock::time_point now) {
  if (x.now != state::running)
    return;
  x.asked_at = now;
  drain(x, mail, now);
}

void shutdown_core::drain(participant& x, outbox& mail, clock::time_point now) {
  x.since = now;
  if (x.self() == nullptr && has_to_wait(x))
    return;
  x.now = x.self() != nullptr ? state::draining : state::ending;
  auto actor = caf::actor_cast<caf::strong_actor_ptr>(x.actor);
  if (x.self() != nullptr && !x.again && !x.awaited && may_proceed(x)
      && !x.has_hook)
    x.now.leave_to_actor();
  else
    x.held = actor;
  if (actor)
    mail.actors.push_back({std::move(actor), &x});
  if (x.app != nullptr)
    mail.apps.push_back(&x);
}

void shutdown_core::send(outbox& mail, lock& held) {
  held.unlock();
  for (auto* x : std::exchange(mail.apps, {}))
    end_application(*x);
  request_exit(mail.actors);
  // The last references may be these.
  mail.actors.clear();
  held.lock();
}

bool shutdown_core::may_end(participant& x, const participant::progress& so_far,
                            caf::strong_actor_ptr& linked) {
  auto guard = lock_shortly();
  if (x.now.claim() != state::draining)
    return false;
  if (!x.held)
    x.held = caf::actor_cast<caf::strong_actor_ptr>(x.actor);
  x.unanswered = static_cast<std::uint32_t>(so_far.unanswered);
  if (so_far.unanswered > 0 || so_far.urgent_left) {
    look_later_at(x);
    return false;
  }
  if (x.again) {
    x.again = false;
    outbox mail;
    note_drained(x);
    drain(x, mail, clock::now());
    send(mail, guard);
    return false;
  }
  if (has_to_wait(x))
    return false;
  x.now = state::ending;
  // An exit goes along links: the parent waits for its other children.
  if (x.awaited)
    linked
      = caf::actor_cast<caf::strong_actor_ptr>(participants_[x.parent].actor);
  return true;
}

bool shutdown_core::has_to_wait(participant& x) {
  note_drained(x);
  if (may_proceed(x))
    return false;
  x.now = state::waiting;
  x.since = clock::now();
  return true;
}

bool shutdown_core::may_proceed(const participant& x) const {
  return x.children == 0 && (x.app != nullptr || x.phase->released);
}

void shutdown_core::note_drained(participant& x) {
  if (x.drained || x.what != kind::actor)
    return;
  x.drained = true;
  auto& here = *x.phase;
  if (--here.undrained == 0 && !here.released && here.began)
    wake_.notify();
}

void shutdown_core::release(phase& here, lock& held) {
  here.released = true;
  outbox mail;
  for (auto& x : participants_)
    if (x.phase == &here && x.now == state::waiting && may_proceed(x)) {
      drain(x, mail, clock::now());
      if (mail.actors.size() == letters_at_once)
        send(mail, held);
    }
  send(mail, held);
}

void shutdown_core::force_part(participant& x, lock& held) {
  auto now = x.now.claim();
  if (is_over(now) || now == state::forced)
    return;
  x.now = state::forced;
  x.forced = true;
  x.since = clock::now();
  if (x.asked_at == clock::time_point{})
    x.asked_at = x.since;
  if (x.app != nullptr) {
    auto status = status_ != 0 ? status_ : status_deadline;
    held.unlock();
    end_application(x, status);
    held.lock();
  } else if (auto target = target_of(x); target.actor) {
    held.unlock();
    force_to_end(target);
    target.actor = nullptr;
    held.lock();
  }
}

exit_target shutdown_core::target_of(participant& x) {
  return {caf::actor_cast<caf::strong_actor_ptr>(x.actor), &x};
}

void shutdown_core::force_parts(const phase* of_phase) {
  lock guard{mutex_};
  // Others may come meanwhile.
  for (std::size_t i = 0; i < participants_.size(); ++i)
    if (of_phase == nullptr || participants_[i].phase == of_phase)
      force_part(participants_[i], guard);
}

void shutdown_core::ended(participant& x) {
  // Others' code may run when these go, so they go without the lock.
  caf::strong_actor_ptr held;
  caf::weak_actor_ptr actor;
  std::function<void()> hook;
  decltype(leftovers_)::node_type left;
  outbox mail;
  auto guard = lock_shortly();
  if (is_over(x.now.claim()))
    return;
  x.now = state::ended;
  x.since = clock::now();
  held.swap(x.held);
  actor.swap(x.actor);
  hook.swap(x.post_stop);
  left = leftovers_.extract(&x);
  if (left) {
    auto& what = left.mapped();
    x.unread = static_cast<std::uint32_t>(what.unread);
    dead_letters_ += what.unread;
    publish(x.name, what, guard);
  }
  if (hook) {
    guard.unlock();
    run_guarded("the hook of part", x.name, hook, false);
    guard.lock();
  }
  note_drained(x);
  auto last_of_phase = --x.phase->living == 0;
  if (x.awaited) {
    auto& parent = participants_[x.parent];
    // What the children have sent it comes first.
    if (--parent.children == 0) {
      parent.again = parent.now == state::draining;
      if (parent.now == state::waiting && may_proceed(parent))
        drain(parent, mail, clock::now());
    }
  }
  if (begun_at_ && last_of_phase)
    wake_.notify();
  if (!mail.actors.empty() || !mail.apps.empty())
    send(mail, guard);
}

void shutdown_core::publish(
  const std::string& name, const leftover& what, lock& held) {
  // Who has subscribed stays.
  auto n = what.letters.empty() ? 0 : subscribers_.size();
  for (std::size_t i = 0; i < n; ++i) {
    auto& subscriber = subscribers_[i];
    held.unlock();
    for (auto& x : what.letters)
      run_guarded(
        "a subscriber to dead letters of part", name,
        [&] {
          subscriber({name, x.sender, x.content});
        },
        false);
    held.lock();
  }
}

// -- what is looked at again after a while ------------------------------------

void shutdown_core::look_later_at(participant& x) {
  if (looks_.empty()) {
    next_look_ = clock::now() + look_pause_;
    wake_.notify();
  }
  looks_.push_back(&x);
}

clock::time_point shutdown_core::next_look() const {
  lock guard{mutex_};
  return looks_.empty() ? clock::time_point::max() : next_look_;
}

void shutdown_core::look_again() {
  lock guard{mutex_};
  if (looks_.empty() || clock::now() < next_look_)
    return;
  auto parts = std::exchange(looks_, {});
  look_pause_ = std::min<clock::duration>(2 * look_pause_, longest_pause);
  for (auto* x : parts) {
    if (x->now.claim() != state::draining)
      continue;
    std::vector<exit_target> alone{target_of(*x)};
    if (!alone.front().actor)
      continue;
    guard.unlock();
    // A message would begin the time of its `after` anew.
    auto seen = look_at(alone.front());
    auto waits = seen && (seen->has_unanswered || seen->awaits);
    if (!waits)
      request_exit(alone);
    alone.clear();
    guard.lock();
    if (waits)
      look_later_at(*x);
  }
}

// -- what parts hear of their actors ------------------------------------------

void shutdown_core::meets_exit(participant& x, leftover what) {
  lock guard{mutex_};
  x.now.claim();
  std::swap(leftovers_[&x], what);
}

void shutdown_core::handled_exit(participant& x) {
  decltype(leftovers_)::node_type gone; // without the lock
  lock guard{mutex_};
  gone = leftovers_.extract(&x);
}

void shutdown_core::failed(participant& x, const std::string& error) {
  logger_->error("on_exit() of actor '{}' failed: {}", x.name, error);
  lock guard{mutex_};
  worst_ = std::max(worst_, status_failed);
  failures_.push_back(
    {kind::actor, x.name, x.phase->name, "on_exit() failed: " + error});
}

bool shutdown_core::participant::may_end(
  const progress& so_far, caf::strong_actor_ptr& linked) {
  __builtin_prefetch(&since, 1);
  if (const caf::scheduled_actor* next = next_up)
    prefetch_actor(next);
  return (so_far.unanswered == 0 && !so_far.urgent_left
          && now.step(state::draining, state::ending))
         || phase->core.may_end(*this, so_far, linked);
}

bool shutdown_core::participant::wants_letters() const {
  return phase->core.has_subscribers_;
}

void shutdown_core::participant::meets_exit(
  std::size_t number, std::vector<letter> letters) {
  phase->core.meets_exit(*this, {number, std::move(letters)});
}

void shutdown_core::participant::handled_exit() {
  phase->core.handled_exit(*this);
}

void shutdown_core::participant::failed(const std::string& error) {
  phase->core.failed(*this, error);
}

void shutdown_core::participant::ended() {
  if (!now.step(state::ending, state::ended)
      && !now.step(state::draining, state::ended))
    return phase->core.ended(*this);
  since = clock::now();
  actor = nullptr;
  if (--phase->living == 0)
    phase->core.wake_.notify();
}

void shutdown_core::participant::let_go() noexcept {
  phase->core.let_go_of(1);
}

// -- threads ------------------------------------------------------------------

template <class Fun>
std::string shutdown_core::run_guarded(
  const char* what, const std::string& name, Fun&& fun, bool fatal) {
  std::string error;
  try {
    fun();
    return {};
  } catch (const std::exception& e) {
    error = e.what();
  } catch (...) {
    error = "an exception that is not derived from std::exception";
  }
  logger_->error("{} '{}' failed: {}", what, name, error);
  {
    lock guard{mutex_};
    worst_ = std::max(worst_, status_failed);
    if (fatal)
      failures_.push_back({kind::task, name, phases_[0].name, error});
  }
  if (fatal)
    begin(
      {std::string{what} + " '" + name + "' failed: " + error, status_failed});
  return error;
}

template <class Fun>
void shutdown_core::start_thread(Fun fun) {
  // Both end without the lock.
  auto shared = std::make_shared<Fun>(std::move(fun));
  std::vector<thread_record> ended;
  lock guard{mutex_};
  if (closed_)
    return; // there is nobody to wait for it
  auto first = std::partition(threads_.begin(), threads_.end(), [](auto& x) {
    return !x.done->load();
  });
  ended.assign(
    std::make_move_iterator(first), std::make_move_iterator(threads_.end()));
  threads_.erase(first, threads_.end());
  auto done = std::make_shared<std::atomic<bool>>(false);
  threads_.push_back(
    {std::thread{[self = shared_from_this(), done, shared]() mutable {
       (*shared)();
       shared.reset();
       done->store(true);
       self->wake_.notify();
     }},
     done});
  guard.unlock();
  for (auto& x : ended)
    x.thread.join();
}

template <class Fun>
std::string shutdown_core::try_thread(
  const char* what, const std::string& name, Fun fun) {
  return run_guarded(
    what, name, [&] { start_thread(std::move(fun)); }, false);
}

// -- the shutdown's own thread ------------------------------------------------

void shutdown_core::pause_until(clock::time_point end) const {
  wake_.wait(end == clock::time_point::max()
               ? std::chrono::nanoseconds::max()
               : end - clock::now());
}

void shutdown_core::wait_until(clock::time_point end) {
  pause_until(std::min(end, next_look()));
  watch_->collect([this](int signal) {
    if (signal == SIGUSR1)
      logger_->info("{}", to_string(this->status()));
    else if (++signals_ == 1)
      begin({"signal " + std::to_string(signal)}, true);
    else
      force(status_second_signal,
            "signal " + std::to_string(signal) + " again");
  });
  look_again();
}

bool shutdown_core::begun() const {
  lock guard{mutex_};
  return begun_at_.has_value();
}

bool shutdown_core::forced() const {
  lock guard{mutex_};
  return forced_;
}

clock::time_point shutdown_core::last_moment() const {
  lock guard{mutex_};
  return after(*begun_at_, options_.deadline);
}

void shutdown_core::watch_deadline() {
  lock guard{mutex_};
  auto deadline = options_.deadline;
  if (forced_ || clock::now() < after(*begun_at_, deadline))
    return;
  guard.unlock();
  force(status_deadline, "the shutdown takes longer than its deadline ("
                           + time_text(deadline) + ")");
}

void shutdown_core::run() {
  while (!begun())
    wait_until(clock::time_point::max());
  {
    lock guard{mutex_};
    set_last_resort();
  }
  logger_->info(
    "{}: the system shuts down; a second signal aborts it", reason_.what);
  if (by_signal_ && options_.on_signal)
    run_on_signal();
  stop_.request_stop();
  while (!forced()) {
    std::optional<std::size_t> next;
    {
      lock guard{mutex_};
      next = next_phase();
    }
    if (!next)
      break;
    run_phase(*next);
    watch_deadline();
  }
  finish();
  if (last_resort_)
    last_resort_->call_off();
  await_somebody();
  // Actors may keep this alive for long.
  watch_.reset();
}

bool shutdown_core::run_in_time(
  const char* name, const std::function<void()>& what) {
  enum : int { running, good, bad };
  auto now = std::make_shared<std::atomic<int>>(running);
  auto error = try_thread("handler", name, [this, name, what, now] {
    *now = run_guarded("handler", name, what, false).empty() ? good : bad;
  });
  if (!error.empty())
    return false;
  auto end = after(clock::now(), options_.on_signal_timeout);
  while (*now == running && clock::now() < end && !forced())
    wait_until(end);
  if (*now == running)
    logger_->error(
      "handler '{}' did not return within on_signal_timeout ({}): "
      "the shutdown continues without it",
      name, time_text(options_.on_signal_timeout));
  return *now == good;
}

void shutdown_core::run_on_signal() {
  if (run_in_time("on_signal", options_.on_signal))
    return;
  if (options_.backup)
    run_in_time("backup", options_.backup);
  // The deadline is for what follows.
  lock guard{mutex_};
  begun_at_ = clock::now();
}

void shutdown_core::finish() {
  // What was left behind has to end now, too.
  lock guard{mutex_};
  auto all_gone = [this] {
    return std::all_of(phases_.begin(), phases_.end(),
                       [](auto& x) { return x.living == 0; })
           && guards_.empty()
           && std::all_of(threads_.begin(), threads_.end(), [](auto& x) {
                return x.done->load();
              });
  };
  if (!all_gone()) {
    stage_ = "forced";
    if (!forced_)
      forced_at_ = clock::now();
    auto end = after(forced_at_, options_.grace_period);
    guard.unlock();
    force_parts(nullptr);
    guard.lock();
    while (!all_gone() && clock::now() < end) {
      guard.unlock();
      wait_until(end);
      guard.lock();
    }
  }
  auto clean = all_gone();
  if (!clean)
    status_ = status_deadline;
  else if (!forced_)
    status_ = worst_;
  auto refused = false;
  status_ = mapped(status_, &refused);
  auto status = status_;
  auto threads = std::move(threads_);
  threads_.clear();
  closed_ = true;
  guard.unlock();
  for (auto& x : threads)
    if (*x.done)
      x.thread.join();
    else
      x.thread.detach();
  log_unread();
  if (refused)
    logger_->error(
      "map_status returned a status that no process can end with (they are 0 "
      "to "
      "255): it counts as {}",
      status);
  if (!clean) {
    logger_->critical(
      "these could not be stopped: {}", to_string(this->status()));
    end_process(status);
  }
  guard.lock();
  over_ = true;
  stage_ = "over";
  changed_.notify_all();
}

void shutdown_core::log_unread() const {
  short_list lines;
  std::size_t sum = 0;
  {
    lock guard{mutex_};
    sum = dead_letters_;
    if (sum == 0)
      return;
    for (auto& x : participants_)
      if (x.unread > 0)
        lines.add(fmt::format("{} of actor '{}'", x.unread, x.name));
  }
  logger_->warn("{} left unread:{}",
                plural(sum, "message was", "messages were"), lines.text());
}

void shutdown_core::await_somebody() {
  lock guard{mutex_};
  if (awaited_)
    return;
  auto end = after(clock::now(), options_.grace_period);
  if (last_resort_)
    last_resort_->set(after(end, time_to_log), [status = status_] {
      std::_Exit(status);
    });
  while (!awaited_ && clock::now() < end) {
    guard.unlock();
    // Signals change nothing any more.
    pause_until(end);
    guard.lock();
  }
  auto forgotten = !awaited_;
  guard.unlock();
  if (forgotten) {
    logger_->critical(
      "the shutdown has been over for {}, but the program has neither called "
      "wait_for_shutdown() nor destroyed it: main() seems to be blocked in a "
      "call; let it wait for the shutdown, and read standard "
      "input with rosia::line_reader, which the shutdown interrupts",
      time_text(options_.grace_period));
    end_process(status_);
  }
  if (last_resort_)
    last_resort_->call_off();
}

void shutdown_core::await_system() {
  if (options_.await_system)
    await_others();
  // Actors may keep this alive for long.
  last_resort_.reset();
}

void shutdown_core::await_others() {
  // CAF tells their number, not who they are.
  constexpr auto pause = std::chrono::milliseconds{1};
  auto end = after(clock::now(), options_.grace_period);
  end_process_at(end);
  while (system_->registry().running() > 0 && clock::now() < end)
    pause_until(std::min(end, clock::now() + pause));
  if (auto left = system_->registry().running(); left > 0) {
    short_list names;
    for (auto& x : find_others())
      names.add(x);
    logger_->critical(
      "{} of the actor system {} alive {} after the shutdown, and took no part "
      "in it: the system's destructor would wait for {} for ever; destroy "
      "scoped actors and handles before the shutdown{}{}",
      plural(left, "actor", "actors"), left == 1 ? "is" : "are",
      time_text(options_.grace_period), left == 1 ? "it" : "them",
      names.text().empty() ? "" : ":",
      options_.names != nullptr
        ? names.text()
        : "; to learn their names, give shutdown_options::names a "
          "rosia::actor_names (actor_names.hpp)");
    end_process(mapped(status_deadline));
  }
}

int shutdown_core::mapped(int status, bool* refused) const {
  if (!options_.map_status)
    return status;
  auto result = options_.map_status(status, reason_);
  if (is_exit_status(result))
    return result;
  if (refused != nullptr)
    *refused = true;
  return status_failed;
}

void shutdown_core::end_process(int status) {
  if (options_.end_process)
    logger_->critical("the process ends with status {}", status);
  log_.flush();
  if (options_.end_process)
    std::_Exit(status);
}

void shutdown_core::set_last_resort() {
  if (!begun_at_ || over_)
    return;
  auto end = forced_ ? forced_at_ : after(*begun_at_, options_.deadline);
  if (by_signal_ && options_.on_signal)
    // The handler and its backup.
    end = after(
      after(end, options_.on_signal_timeout), options_.on_signal_timeout);
  end_process_at(after(end, options_.grace_period));
}

void shutdown_core::end_process_at(clock::time_point deadline) {
  if (last_resort_)
    last_resort_->set(after(deadline, time_to_log), [this] {
      std::_Exit(mapped(status_deadline));
    });
}

// -- reports ------------------------------------------------------------------

shutdown_report shutdown_core::status() const {
  shutdown_report result;
  // What runs code of others comes after the lock.
  std::vector<std::pair<std::size_t, exit_target>> actors;
  std::vector<std::pair<std::size_t, application_part*>> apps;
  lock guard{mutex_};
  auto now = clock::now();
  result.stage = stage_;
  result.reason = reason_;
  result.dead_letters = dead_letters_;
  if (begun_at_)
    result.elapsed = now - *begun_at_;
  auto add = [&](std::string name, kind what, state how, const phase& in,
                 clock::time_point since) -> part_report& {
    auto& x = result.parts.emplace_back();
    x.name = std::move(name);
    x.what = what;
    x.now = how;
    x.phase = in.name;
    x.since = now - since;
    return x;
  };
  for (auto& [id, x] : guards_)
    add(x.name, x.what, begun_at_ ? state::ending : state::running, phases_[0],
        x.what == kind::task && begun_at_
          ? std::max(x.since, *begun_at_)
          : x.since);
  result.actors = system_->registry().running();
  for (auto& x : workers_)
    if (x.now != state::ended)
      add(x.name, kind::worker, x.now, phases_[0], x.since).error = x.error;
  for (auto& x : tasks_)
    // What has not begun when the end is forced never does.
    if (x.now != state::ended && (x.now != state::running || !forced_))
      add(x.name, kind::action, x.now, phases_[x.phase], x.since).error
        = x.error;
  std::unordered_map<std::uint32_t, std::uint32_t> first_child;
  for (std::uint32_t i = 0; i < participants_.size(); ++i)
    if (participants_[i].awaited && !is_over(participants_[i].now))
      first_child.try_emplace(participants_[i].parent, i);
  for (std::uint32_t i = 0; i < participants_.size(); ++i) {
    auto& x = participants_[i];
    if (is_over(x.now))
      continue;
    auto& y = add(x.name, x.what, x.now, *x.phase, x.since);
    if (x.parent != nobody)
      y.parent = participants_[x.parent].name;
    if (auto child = first_child.find(i); child != first_child.end())
      y.waits_for = participants_[child->second].name;
    if (x.now == state::draining)
      y.unanswered = x.unanswered;
    if (x.app != nullptr)
      apps.emplace_back(result.parts.size() - 1, x.app);
    if (x.self() == nullptr || actors.size() == most_looks)
      continue;
    if (auto how = x.now.claim();
        how == state::draining || how == state::forced)
      actors.emplace_back(result.parts.size() - 1, target_of(x));
  }
  for (auto& x : failures_)
    add(x.name, x.what, state::failed, phases_[find_phase(x.phase)], now).error
      = x.error;
  guard.unlock();
  for (auto& [i, actor] : actors)
    if (actor.actor) {
      auto seen = look_at(actor);
      result.parts[i].awaits_answer = seen && seen->awaits;
    }
  for (auto& [i, app] : apps)
    result.parts[i].blocker = app->program->blocker();
  result.others = find_others();
  return result;
}

std::vector<std::string> shutdown_core::find_others() const {
  std::vector<std::string> result;
  if (options_.names == nullptr)
    return result;
  std::unordered_set<caf::actor_id> parts;
  {
    lock guard{mutex_};
    for (auto& x : participants_)
      if (!is_over(x.now.claim()) && x.actor)
        parts.insert(x.actor->id());
  }
  // What an actor is called that has no name of its own.
  auto is_default = [](const std::string& name) {
    return name.empty() || name == "scheduled_actor" || name == "blocking_actor"
           || name == "broker";
  };
  for (auto& x : options_.names->living())
    if (!x.hidden && !parts.contains(x.id))
      result.push_back(
        fmt::format("{}#{}", is_default(x.name) ? x.type : x.name, x.id));
  return result;
}

shutdown_timeline shutdown_core::timeline() const {
  lock guard{mutex_};
  shutdown_timeline result;
  if (!begun_at_)
    return result;
  auto now = clock::now();
  auto add = [&](const std::string& name, std::string what, const phase& in,
                 clock::time_point begin, bool over, clock::time_point end,
                 bool forced) {
    result.push_back({name, std::move(what), in.name, begin - *begun_at_,
                      (over ? end : now) - *begun_at_, over, forced});
  };
  std::vector<const phase*> order;
  for (auto& x : phases_)
    if (x.began)
      order.push_back(&x);
  std::stable_sort(order.begin(), order.end(), [](auto* a, auto* b) {
    return a->began_at < b->began_at;
  });
  std::unordered_map<const phase*, std::vector<const participant*>> parts;
  for (auto& x : participants_)
    if (x.asked_at != clock::time_point{})
      parts[x.phase].push_back(&x);
  for (auto* in : order) {
    auto& here = *in;
    add(here.name, "phase", here, here.began_at, here.over, here.over_at,
        here.late);
    if (&here == &phases_[0]) {
      for (auto& x : dropped_)
        add(x.name, to_string(x.what), here, here.began_at, true, x.at, false);
      for (auto& [id, x] : guards_)
        add(x.name, to_string(x.what), here, here.began_at, false, {},
            here.over);
      for (auto& x : workers_)
        add(x.name, "worker", here,
            x.began_at == clock::time_point{} ? here.began_at : x.began_at,
            is_over(x.now), x.since, x.now == state::failed);
    }
    for (auto& x : tasks_)
      if (&phases_[x.phase] == &here)
        add(x.name, "action", here, x.began_at, is_over(x.now), x.since,
            x.now == state::failed);
    for (auto* x : parts[&here]) {
      add(x->name, to_string(x->what), here, x->asked_at, is_over(x->now),
          x->since, x->forced);
      result.back().unread = x->unread;
    }
  }
  return result;
}

} // namespace caf::rosia::detail
