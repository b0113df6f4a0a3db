// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "shutdown/shutdown_core.hpp"

#include "base/duration.hpp"
#include "base/exit_status.hpp"
#include "base/text.hpp"
#include "caf/rosia/shutdown/actor_names.hpp"
#include "shutdown/stop_limit.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_registry.hpp>
#include <caf/actor_system.hpp>

#include <algorithm>
#include <stdexcept>
#include <unordered_set>
#include <utility>

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

namespace caf::rosia::detail {

namespace {

/// The code of the program that this thread runs for a shutdown: its own, or
/// an action of a phase.
struct running_on_thread {
  const shutdown_core* core = nullptr;
  const std::string* name = nullptr;
  bool is_thread = false;
};

thread_local running_on_thread on_this_thread;

} // namespace

adopted_program::~adopted_program() {
  // nop
}

// -- constructors, destructors ------------------------------------------------

shutdown_core::shutdown_core(caf::actor_system& sys, shutdown_options opts)
  : state(std::move(opts)), system_(&sys) {
  phases.set_all(state.options().phases);
}

shutdown_core::~shutdown_core() {
  // nop
}

std::shared_ptr<shutdown_core> shutdown_core::make(
  caf::actor_system& sys, shutdown_options opts) {
  return {new shutdown_core(sys, std::move(opts)), [](auto* core) {
            core->participants.abandon([core] { delete core; });
          }};
}

// -- threads and guards
// ---------------------------------------------------------

shutdown_guard shutdown_core::make_guard(
  const std::string& name, bool temporary,
  std::shared_ptr<thread_progress> thread) {
  auto held = state.acquire();
  auto id = guards.add(name, temporary, std::move(thread));
  return {shared_from_this(), id};
}

shutdown_guard shutdown_core::make_child(
  std::uint64_t parent, const std::string& name) {
  auto held = state.acquire();
  auto temporary = guards.at(parent).temporary;
  held.unlock();
  return make_guard(child_name(parent, name), temporary);
}

std::string shutdown_core::child_name(
  std::uint64_t parent, const std::string& name) const {
  auto held = state.acquire();
  return guards.at(parent).name + '/' + name;
}

void shutdown_core::drop_guard(std::uint64_t id) noexcept {
  auto held = state.acquire();
  auto guard = guards.drop(id, state.course.begun_at().has_value());
  held.unlock();
  if (!guard.temporary)
    state.begin({guard.kind == part_report::kind::thread
                   ? "thread '" + guard.name + "' returned"
                   : "guard '" + guard.name + "' was dropped"});
  state.notify();
}

void shutdown_core::spawn(const std::string& name, bool temporary,
                          thread_start thread) {
  // The thread's code is destroyed before its guard is dropped.
  struct running_thread {
    shutdown_guard guard;
    thread_start thread;
  };
  auto progress = thread.progress;
  progress->set_name(name);
  auto shared = std::make_shared<running_thread>(
    running_thread{make_guard(name, temporary, progress), std::move(thread)});
  auto is_started
    = threads.start(shared_from_this(), [this, name, progress, shared] {
        on_this_thread = {this, &name, true};
        auto& code = shared->thread.code;
        state.run_task(name, [&] { code(stop.get_token()); });
        code = nullptr;
        shared->guard.drop();
        // Published last, so that the thread's effects precede its result.
        progress->publish();
      });
  if (!is_started)
    progress->refuse("it was not started, because the shutdown has finished");
}

std::string shutdown_core::run(phase_action& action) {
  on_this_thread = {this, &action.name, false};
  return state.run("function", action.name, [&] {
    action.code(state.course.reason());
  });
}

void shutdown_core::refuse_results() {
  auto held = state.acquire();
  auto left = guards.threads();
  held.unlock();
  for (auto& thread : left)
    thread->refuse("it has not returned before the end of the shutdown");
  left.clear(); // these may be the last references
}

// -- participants -------------------------------------------------------------

void shutdown_core::adopt(caf::strong_actor_ptr actor, std::string name,
                          part_options opts) {
  if (!actor)
    throw std::invalid_argument("participant '" + name + "' is no actor");
  auto& added
    = participants.add(actor, nullptr, std::move(name), std::move(opts));
  // Also calls `note_end` if the actor is dead already, so the lock must be
  // free.
  watch_end(actor, added);
  participants.admit(added);
}

void shutdown_core::adopt(std::shared_ptr<adopted_program> program,
                          std::string name, part_options opts) {
  auto& added
    = participants.add(nullptr, program, std::move(name), std::move(opts));
  program->on_start([self = shared_from_this(), &added] {
    self->check_task_of(added);
  });
  program->on_over([self = shared_from_this(),
                    &added](const adopted_program::outcome& outcome) {
    self->participants.note_outcome(added, outcome);
  });
  participants.admit(added);
}

void shutdown_core::check_task_of(const participant& application) {
  if (on_this_thread.core != this || !on_this_thread.is_thread)
    return;
  auto held = state.acquire();
  auto& phase = *application.phase;
  auto& first = phases.threads();
  if (&phase == &first || phases.comes_after(first, phase))
    return;
  held.unlock();
  state.log().warn(
    "thread '{}' runs application '{}', which is asked to end in phase '{}': "
    "that comes after phase 'threads', which waits for the thread; adopt the "
    "application in phase 'threads' (part_options::phase)",
    *on_this_thread.name, application.name, phase.name);
}

void shutdown_core::adopt_stray(
  const named_actor& x, shutdown_phase& phase, bool at_once) {
  auto actor = caf::actor_cast<caf::strong_actor_ptr>(x.address);
  if (!actor)
    return;
  auto* added
    = participants.add_stray(actor, x.parent, shown_name(x), phase, at_once);
  if (added == nullptr)
    return;
  watch_end(actor, *added);
  participants.admit(*added, false);
}

// -- shutting down ------------------------------------------------------------

void shutdown_core::abort(int status, const std::string& reason) {
  auto held = state.acquire();
  auto gives_up_backup = backup.give_up();
  auto is_first = state.course.abort(status, reason);
  if (is_first)
    process.schedule();
  held.unlock();
  if (is_first)
    state.log().warn("{}: the remaining participants are aborted; {}", reason,
                     to_string(this->status()));
  else if (gives_up_backup)
    state.log().warn("{}: the backup is given up", reason);
  state.notify();
}

void shutdown_core::be_awaited() {
  auto held = state.acquire();
  state.be_awaited();
  state.notify();
}

int shutdown_core::wait(std::optional<std::chrono::nanoseconds> deadline) {
  if (on_this_thread.core == this)
    throw std::logic_error(fmt::format(
      "'{}' called wait_for_shutdown(), but the shutdown waits for it; call "
      "that elsewhere, as in main()",
      *on_this_thread.name));
  be_awaited();
  auto held = state.acquire();
  if (deadline) {
    state.course.deadline(*deadline);
    process.schedule();
    state.notify();
  }
  return state.await_over(held);
}

void shutdown_core::await_system() {
  if (state.options().await_system)
    await_others();
  auto& options = state.options();
  if (options.end_process)
    observe_stop(
      *system_, std::make_shared<stop_limit>(
                  options.grace_period, process.map(status_deadline)));
  // Actors may keep this object alive for long.
  process.close();
}

void shutdown_core::await_others() {
  using clock = shutdown_state::clock;
  // CAF provides their number, but not their names.
  constexpr auto pause = std::chrono::milliseconds{1};
  auto& options = state.options();
  auto end = add_saturated(clock::now(), options.grace_period);
  process.schedule(end);
  while (count_actors() > 0 && clock::now() < end)
    state.sleep_until(std::min(end, clock::now() + pause));
  if (auto left = count_actors(); left > 0) {
    short_list names;
    for (auto& name : find_others())
      names.add(name);
    if (auto unseen = strays.count_unseen(left); unseen > 0)
      names.add(
        fmt::format("{} without a known name: {}", unseen, unseen_actors));
    state.log().critical(
      "{} of the actor system {} alive {} after the shutdown, and took no part "
      "in it: the system's destructor would wait for {} for ever; destroy "
      "scoped actors and handles before the shutdown{}{}",
      plural(left, "actor", "actors"), left == 1 ? "is" : "are",
      time_text(options.grace_period), left == 1 ? "it" : "them",
      names.text().empty() ? "" : ":",
      options.names != nullptr
        ? names.text()
        : "; to learn their names, give shutdown_options::names a "
          "rosia::actor_names (actor_names.hpp)");
    process.end(process.map(status_deadline));
  }
}

std::size_t shutdown_core::count_actors() const {
  return system_->registry().running();
}

// -- status and timeline ------------------------------------------------------

shutdown_report shutdown_core::status() {
  auto held = state.acquire();
  report_builder builder{state.course.begun_at()};
  state.course.add_to(builder);
  builder.report().dead_letters = participants.letters().count();
  builder.report().actors = count_actors();
  guards.add_to(builder, phases.threads());
  workers.add_to(builder, phases.threads());
  actions.add_to(builder, state.course.aborted_at().has_value());
  participants.add_to(builder);
  state.course.add_failures_to(builder, phases);
  backup.add_to(builder);
  held.unlock();
  auto result = std::move(builder).complete();
  result.others = find_others();
  result.unseen = strays.count_unseen(result.actors);
  return result;
}

shutdown_timeline shutdown_core::timeline() const {
  auto held = state.acquire();
  auto begun_at = state.course.begun_at();
  if (!begun_at)
    return {};
  timeline_builder builder{*begun_at};
  for (auto* phase : phases.begun()) {
    builder.enter(*phase);
    if (phase == &phases.threads()) {
      guards.add_to(builder);
      workers.add_to(builder);
    }
    actions.add_to(builder);
    participants.add_to(builder);
  }
  backup.add_to(builder);
  return std::move(builder).complete();
}

std::vector<std::string> shutdown_core::find_others() const {
  std::vector<std::string> result;
  auto* names = state.options().names;
  if (names == nullptr)
    return result;
  auto held = state.acquire();
  auto own = participants.living_actors();
  held.unlock();
  for (auto& x : names->living())
    if (!x.hidden && !own.contains(x.id))
      result.push_back(shown_name(x));
  return result;
}

} // namespace caf::rosia::detail
