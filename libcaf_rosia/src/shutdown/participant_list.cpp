// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "shutdown/participant_list.hpp"

#include "base/exit_status.hpp"
#include "compat/caf_options.hpp"
#include "shutdown/run_record.hpp"

#include <caf/actor_cast.hpp>
#include <caf/error.hpp>
#include <caf/exit_reason.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <spdlog/spdlog.h>

namespace caf::rosia::detail {

namespace {

using state = part_report::state;
using kind = part_report::kind;

/// Maximum number of actors that a report inquires about.
constexpr std::size_t most_inquiries = 100;

/// Returns the actor of a participant; null after its end.
/// @pre Its state is not left to the actor.
exit_target target_of(participant& x) {
  return {caf::actor_cast<caf::strong_actor_ptr>(x.actor), &x};
}

} // namespace

// -- constructors, destructors ------------------------------------------------

participant_list::participant_list(shutdown_state& state, phase_list& phases)
  : state_(state), phases_(phases), dead_letters_(state) {
  // nop
}

participant_list::~participant_list() {
  // nop
}

void participant_list::abandon(std::function<void()> free_this) noexcept {
  free_this_ = std::move(free_this);
  // One more, so that this object is not freed during the loop.
  kept_by_caf_ = all_.size() + 1;
  std::size_t not_kept = 1;
  for (auto& x : all_)
    not_kept += x.abandon();
  let_go_of(not_kept);
}

void participant_list::let_go_of(std::size_t count) noexcept {
  if (kept_by_caf_.fetch_sub(count) != count)
    return;
  auto free_this = std::move(free_this_);
  free_this();
}

// -- adopting -----------------------------------------------------------------

participant& participant_list::add(
  const caf::strong_actor_ptr& actor, std::shared_ptr<adopted_program> program,
  std::string name, part_options opts) {
  auto* self = actor ? find_observable(actor) : nullptr;
  auto held = state_.acquire();
  auto* phase = &phases_.find(opts.phase);
  auto parent = participant::no_parent;
  if (!opts.parent.empty()) {
    auto i = by_name_.find(opts.parent);
    if (i == by_name_.end())
      throw std::invalid_argument(
        "participant '" + name + "' has the parent '" + opts.parent
        + "', which is no participant; adopt the parent first");
    parent = i->second;
    phase = all_[parent].phase;
  }
  auto& x = insert(actor, self, *phase, parent, std::move(name));
  if (program)
    x.application = &applications_.emplace_back(
      adopted_record{std::move(program), opts.begin_on_failure});
  x.post_stop = std::move(opts.post_stop);
  x.has_hook = x.post_stop != nullptr;
  return x;
}

participant* participant_list::add_stray(
  const caf::strong_actor_ptr& actor, caf::actor_id parent, std::string name,
  shutdown_phase& phase, bool at_once) {
  auto* self = find_observable(actor);
  auto held = state_.acquire();
  if (find(actor->id()) != participant::no_parent)
    return nullptr;
  auto index = find(parent);
  // If the phase ended, so did the parent.
  if (index != participant::no_parent && all_[index].phase->over)
    index = participant::no_parent;
  auto& its_phase
    = index == participant::no_parent ? phase : *all_[index].phase;
  if (!at_once && !its_phase.takes_strays)
    return nullptr;
  return &insert(actor, self, its_phase, index, std::move(name));
}

participant& participant_list::insert(
  const caf::strong_actor_ptr& actor, caf::scheduled_actor* self,
  shutdown_phase& phase, std::uint32_t parent, std::string name) {
  auto index = static_cast<std::uint32_t>(all_.size());
  auto& x = all_.add(*this, phase, self);
  x.kind = actor ? kind::actor : kind::application;
  x.actor = caf::actor_cast<caf::weak_actor_ptr>(actor);
  x.parent = parent;
  if (parent != participant::no_parent)
    await_child(all_[parent], x);
  x.name = std::move(name);
  x.since = clock::now();
  ++phase.living;
  phase.undrained += x.kind == kind::actor;
  by_name_.insert_or_assign(x.name, index);
  if (by_id_ && actor)
    by_id_->emplace(actor->id(), index);
  return x;
}

void participant_list::await_child(participant& parent, participant& child) {
  auto parent_state = parent.state.claim();
  if (parent_state == state::draining)
    parent.handle = caf::actor_cast<caf::strong_actor_ptr>(parent.actor);
  // Otherwise an actor that spawns a child whenever one ends would run forever.
  child.awaited
    = !parent.drained && parent_state != state::ending
      && !is_over(parent_state);
  parent.children += child.awaited;
}

std::uint32_t participant_list::find(caf::actor_id id) {
  if (!by_id_) {
    by_id_.emplace();
    for (std::uint32_t i = 0; i < all_.size(); ++i)
      if (!is_over(all_[i].state.claim()) && all_[i].actor)
        by_id_->emplace(all_[i].actor->id(), i);
  }
  auto i = by_id_->find(id);
  return i == by_id_->end() ? participant::no_parent : i->second;
}

void participant_list::admit(participant& added, bool was_adopted) {
  auto held = state_.acquire();
  if (is_over(added.state))
    return;
  if (state_.course.aborted_at() || added.phase->over) {
    auto name = added.name;
    abort(added, held);
    held.unlock();
    state_.log().log(
      was_adopted ? spdlog::level::warn : spdlog::level::debug,
      "participant '{}' is added after its phase ended: it is aborted", name);
  } else if (added.phase->began) {
    outbox mail;
    request_exit(added, mail, clock::now());
    send(mail, held);
  }
}

void participant_list::note_outcome(
  participant& application, const adopted_program::outcome& outcome) {
  auto held = state_.acquire();
  // A failure after an abort is expected.
  auto fails = outcome.status != 0 && application.application->begin_on_failure
               && !application.aborted;
  held.unlock();
  if (fails) {
    auto status = std::to_string(outcome.status);
    auto reason
      = "application '" + application.name + "' failed with status " + status;
    if (!outcome.error.empty())
      reason += ": " + outcome.error;
    state_.log().error("{}", reason);
    held.lock();
    state_.course.worsen_status(outcome.status);
    state_.course.add_failure(
      {kind::application, application.name, application.phase->name,
       outcome.error.empty() ? "status " + status : outcome.error});
    held.unlock();
    state_.begin({reason, outcome.status});
  }
  note_end(application);
}

// -- requesting exits ---------------------------------------------------------

void participant_list::request_exits(const shutdown_phase& phase, lock& held) {
  rechecks_.reset_pause();
  if (phase.living == 0)
    return;
  outbox mail;
  auto now = phase.began_at;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (i % participant_store::batch == 0) {
      now = clock::now();
      all_.prefetch(phase, i + participant_store::batch);
    }
    if (all_[i].phase == &phase) {
      request_exit(all_[i], mail, now);
      if (mail.actors.size() == participant_store::batch)
        send(mail, held);
    }
  }
  send(mail, held);
}

void participant_list::release(shutdown_phase& phase, lock& held) {
  phase.released = true;
  outbox mail;
  for (auto& x : all_)
    if (x.phase == &phase && x.state == state::waiting && may_proceed(x)) {
      drain(x, mail, clock::now());
      if (mail.actors.size() == participant_store::batch)
        send(mail, held);
    }
  send(mail, held);
}

void participant_list::request_exit(
  participant& x, outbox& mail, clock::time_point now) {
  if (x.state != state::running)
    return;
  x.requested_at = now;
  drain(x, mail, now);
}

void participant_list::drain(
  participant& x, outbox& mail, clock::time_point now) {
  x.since = now;
  if (x.self() == nullptr && has_to_wait(x))
    return;
  x.state = x.self() != nullptr ? state::draining : state::ending;
  auto actor = caf::actor_cast<caf::strong_actor_ptr>(x.actor);
  if (x.self() != nullptr && !x.request_again && !x.awaited && may_proceed(x)
      && !x.has_hook)
    x.state.leave_to_actor();
  else
    x.handle = actor;
  if (actor)
    mail.actors.push_back({std::move(actor), &x});
  if (x.application != nullptr)
    mail.applications.push_back(&x);
}

void participant_list::send(outbox& mail, lock& held) {
  held.unlock();
  for (auto* x : std::exchange(mail.applications, {}))
    end_application(*x, std::nullopt);
  detail::request_exit(mail.actors);
  // These may be the last references.
  mail.actors.clear();
  held.lock();
}

void participant_list::end_application(
  participant& x, std::optional<int> abort_status) {
  auto& program = *x.application->program;
  auto has_started
    = abort_status ? program.abort(*abort_status) : program.request_end();
  if (!has_started)
    note_end(x);
}

bool participant_list::has_to_wait(participant& x) {
  note_drained(x);
  if (may_proceed(x))
    return false;
  x.state = state::waiting;
  x.since = clock::now();
  return true;
}

bool participant_list::may_proceed(const participant& x) {
  return x.children == 0 && (x.application != nullptr || x.phase->released);
}

void participant_list::note_drained(participant& x) {
  if (x.drained || x.kind != kind::actor)
    return;
  x.drained = true;
  auto& phase = *x.phase;
  if (--phase.undrained == 0 && !phase.released && phase.began)
    state_.notify();
}

// -- aborting -----------------------------------------------------------------

void participant_list::abort_all(const shutdown_phase* phase) {
  auto held = state_.acquire();
  // Participants may be added while the lock is free.
  for (std::size_t i = 0; i < all_.size(); ++i)
    if (phase == nullptr || all_[i].phase == phase)
      abort(all_[i], held);
}

void participant_list::abort(participant& x, lock& held) {
  auto now = x.state.claim();
  if (is_over(now) || now == state::aborted)
    return;
  x.state = state::aborted;
  x.aborted = true;
  x.since = clock::now();
  if (x.requested_at == clock::time_point{})
    x.requested_at = x.since;
  if (x.application != nullptr) {
    auto status = state_.course.abort_status();
    held.unlock();
    end_application(x, status);
    held.lock();
  } else if (auto target = target_of(x); target.actor) {
    held.unlock();
    abort_actor(target);
    target.actor = nullptr;
    held.lock();
  }
}

// -- rechecking ---------------------------------------------------------------

void participant_list::recheck_later(participant& x) {
  if (rechecks_.add(x, clock::now()))
    state_.notify();
}

participant_list::clock::time_point participant_list::recheck_at() const {
  auto held = state_.acquire();
  return rechecks_.due_at();
}

void participant_list::recheck() {
  auto held = state_.acquire();
  for (auto* x : rechecks_.take(clock::now())) {
    if (x->state.claim() != state::draining)
      continue;
    std::vector<exit_target> targets{target_of(*x)};
    if (!targets.front().actor)
      continue;
    held.unlock();
    // A message would restart the time of the actor's `after`.
    auto seen = look_at(targets.front());
    auto has_open_requests = seen && (seen->has_unanswered || seen->awaits);
    if (!has_open_requests)
      detail::request_exit(targets);
    targets.clear();
    held.lock();
    if (has_open_requests)
      recheck_later(*x);
  }
}

// -- events of participants ---------------------------------------------------

bool participant_list::may_exit(
  participant& actor, const participant::progress& so_far,
  caf::strong_actor_ptr& linked) {
  auto held = state_.acquire_spinning();
  if (actor.state.claim() != state::draining)
    return false;
  if (!actor.handle)
    actor.handle = caf::actor_cast<caf::strong_actor_ptr>(actor.actor);
  actor.unanswered = static_cast<std::uint32_t>(so_far.unanswered);
  if (so_far.unanswered > 0 || so_far.urgent_left) {
    recheck_later(actor);
    return false;
  }
  if (actor.request_again) {
    actor.request_again = false;
    outbox mail;
    note_drained(actor);
    drain(actor, mail, clock::now());
    send(mail, held);
    return false;
  }
  if (has_to_wait(actor))
    return false;
  actor.state = state::ending;
  // An exit is propagated along links, but the parent waits for its other
  // children.
  if (actor.awaited)
    linked = caf::actor_cast<caf::strong_actor_ptr>(all_[actor.parent].actor);
  return true;
}

void participant_list::expect_letters(
  participant& actor, dead_letters::leftover messages) {
  dead_letters::leftover before; // destroyed without the lock
  auto held = state_.acquire();
  actor.state.claim();
  before = dead_letters_.expect(actor, std::move(messages));
}

void participant_list::forget_letters(participant& actor) {
  dead_letters::leftover forgotten; // destroyed without the lock
  auto held = state_.acquire();
  forgotten = dead_letters_.take(actor);
}

void participant_list::note_failed_exit(
  participant& actor, const std::string& error) {
  state_.log().error("on_exit() of actor '{}' failed: {}", actor.name, error);
  auto held = state_.acquire();
  state_.course.worsen_status(status_error);
  state_.course.add_failure(
    {kind::actor, actor.name, actor.phase->name, "on_exit() failed: " + error});
}

void participant_list::note_end(participant& ended, const caf::error& error) {
  // Destroying these may run code of the program, so it happens without the
  // lock.
  caf::strong_actor_ptr handle;
  caf::weak_actor_ptr actor;
  std::function<void()> hook;
  dead_letters::leftover messages;
  outbox mail;
  auto held = state_.acquire_spinning();
  if (is_over(ended.state.claim()))
    return;
  ended.state = state::ended;
  ended.since = clock::now();
  if (error && error != caf::exit_reason::user_shutdown
      && ended.requested_at == clock::time_point{})
    early_ends_.emplace(&ended, text_of(error));
  handle.swap(ended.handle);
  actor.swap(ended.actor);
  hook.swap(ended.post_stop);
  messages = dead_letters_.take(ended);
  ended.unread = static_cast<std::uint32_t>(messages.unread);
  dead_letters_.publish(ended.name, messages, held);
  if (hook) {
    held.unlock();
    state_.run("the hook of part", ended.name, hook);
    held.lock();
  }
  note_drained(ended);
  auto is_last_of_phase = --ended.phase->living == 0;
  if (ended.awaited)
    note_child_end(all_[ended.parent], mail);
  if (state_.course.begun_at() && is_last_of_phase)
    state_.notify();
  if (!mail.actors.empty() || !mail.applications.empty())
    send(mail, held);
}

void participant_list::note_child_end(participant& parent, outbox& mail) {
  if (--parent.children > 0)
    return;
  // The children's messages are handled first.
  parent.request_again = parent.state == state::draining;
  if (parent.state == state::waiting && may_proceed(parent))
    drain(parent, mail, clock::now());
}

// -- properties ---------------------------------------------------------------

std::unordered_set<caf::actor_id> participant_list::living_actors() const {
  std::unordered_set<caf::actor_id> result;
  for (auto& x : all_)
    if (!is_over(x.state.claim()) && x.actor)
      result.insert(x.actor->id());
  return result;
}

void participant_list::add_to(report_builder& builder) {
  std::unordered_map<std::uint32_t, std::uint32_t> first_child;
  for (std::uint32_t i = 0; i < all_.size(); ++i)
    if (all_[i].awaited && !is_over(all_[i].state))
      first_child.try_emplace(all_[i].parent, i);
  std::size_t inquiries = 0;
  for (std::uint32_t i = 0; i < all_.size(); ++i) {
    auto& x = all_[i];
    if (is_over(x.state))
      continue;
    auto& entry = builder.add(x.name, x.kind, x.state, *x.phase, x.since);
    if (x.parent != participant::no_parent)
      entry.parent = all_[x.parent].name;
    if (auto child = first_child.find(i); child != first_child.end())
      entry.waits_for = all_[child->second].name;
    if (x.state == state::draining)
      entry.unanswered = x.unanswered;
    if (x.application != nullptr)
      builder.inquire([program = x.application->program](part_report& to) {
        to.blocker = program->blocker();
      });
    if (x.self() == nullptr || inquiries == most_inquiries)
      continue;
    auto now = x.state.claim();
    if (now != state::draining && now != state::aborted)
      continue;
    ++inquiries;
    if (auto target = target_of(x); target.actor)
      builder.inquire([target = std::move(target)](part_report& to) {
        auto seen = look_at(target);
        to.awaits_answer = seen && seen->awaits;
      });
  }
}

void participant_list::add_to(timeline_builder& builder) const {
  for (auto& x : all_) {
    if (x.phase != &builder.phase())
      continue;
    if (auto early = early_ends_.find(&x); early != early_ends_.end()) {
      clock::time_point ended_at = x.since;
      auto begin = std::max(ended_at, builder.begun_at());
      builder.add(x.name, to_string(x.kind), begin, begin, false).reason
        = early->second;
      continue;
    }
    if (x.requested_at == clock::time_point{})
      continue;
    auto end = is_over(x.state) ? std::optional<clock::time_point>{x.since}
                                : std::nullopt;
    builder.add(x.name, to_string(x.kind), x.requested_at, end, x.aborted)
      .unread
      = x.unread;
  }
}

void participant_list::each_unread(
  const std::function<void(const std::string&, std::size_t)>& fun) const {
  for (auto& x : all_)
    if (x.unread > 0)
      fun(x.name, x.unread);
}

} // namespace caf::rosia::detail
