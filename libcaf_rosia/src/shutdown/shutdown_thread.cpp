// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "shutdown/shutdown_thread.hpp"

#include "base/duration.hpp"
#include "base/exit_status.hpp"
#include "base/text.hpp"
#include "shutdown/shutdown_core.hpp"

#include <algorithm>
#include <csignal>
#include <future>
#include <memory>
#include <utility>

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

namespace caf::rosia::detail {

using namespace std::chrono_literals;

namespace {

/// Time for the program to return and wait for the shutdown, before a warning.
constexpr std::chrono::seconds time_to_return{1};

} // namespace

shutdown_thread::shutdown_thread(shutdown_core& core) : core_(core) {
  auto& options = core.state.options();
  watch_.emplace(options.signals, core.state.descriptor(), options.sighup);
}

void shutdown_thread::run() {
  unblocked_signals unblocked{*watch_};
  auto& state = core_.state;
  while (!state.has_begun())
    wait_until(clock::time_point::max());
  {
    auto held = state.acquire();
    core_.process.schedule();
  }
  state.log().info("{}: the system shuts down; a second signal aborts it",
                   state.course.reason().text);
  if (state.calls_on_signal())
    run_on_signal();
  core_.stop.request_stop();
  core_.strays.begin();
  run_phases();
  finish();
  core_.process.cancel();
  await_waiter();
  // Actors may keep this object alive for long.
  watch_.reset();
}

// -- waiting ------------------------------------------------------------------

void shutdown_thread::wait_until(clock::time_point end) {
  core_.state.sleep_until(std::min(end, core_.participants.recheck_at()));
  watch_->collect([this](int signal) { handle_signal(signal); });
  core_.participants.recheck();
}

void shutdown_thread::handle_signal(int signal) {
  auto name = "signal " + std::to_string(signal);
  if (signal == SIGUSR1)
    core_.state.log().info("{}", to_string(core_.status()));
  else if (++signals_ == 1)
    core_.state.begin({name}, true);
  else
    core_.abort(status_second_signal, name + " again");
}

void shutdown_thread::watch_deadline() {
  auto held = core_.state.acquire();
  auto deadline = core_.state.course.deadline();
  if (core_.state.course.aborted_at()
      || clock::now() < core_.state.course.deadline_at())
    return;
  held.unlock();
  core_.abort(status_deadline, "the shutdown takes longer than its deadline ("
                                 + time_text(deadline) + ")");
}

// -- before the phases --------------------------------------------------------

void shutdown_thread::run_on_signal() {
  auto& state = core_.state;
  run_in_time({"on_signal", state.take_on_signal(),
               state.options().on_signal_timeout, "on_signal_timeout"},
              [&state] { return state.is_aborted(); });
  // The deadline does not include the time of the handler.
  auto held = state.acquire();
  state.course.restart_deadline();
}

std::optional<std::string> shutdown_thread::run_in_time(
  timed_handler handler, const std::function<bool()>& is_given_up) {
  auto& state = core_.state;
  auto end = add_saturated(clock::now(), handler.timeout);
  auto result = std::make_shared<std::promise<std::string>>();
  auto returned = result->get_future();
  auto error = core_.threads.try_start(
    "handler", handler.name, core_.shared_from_this(),
    [&state, name = handler.name, code = std::move(handler.code), result] {
      result->set_value(state.run("handler", name, code));
      state.notify();
    });
  if (!error.empty())
    return error;
  auto is_over = [&returned] {
    return returned.wait_for(0s) == std::future_status::ready;
  };
  while (!is_over() && clock::now() < end && !is_given_up())
    wait_until(end);
  if (is_over())
    return returned.get();
  if (is_given_up())
    state.log().error(
      "handler '{}' has not returned, and is not waited for any longer",
      handler.name);
  else
    state.log().error(
      "handler '{}' did not return within {} ({}): the shutdown continues "
      "without it",
      handler.name, handler.timeout_name, time_text(handler.timeout));
  return std::nullopt;
}

// -- phases -------------------------------------------------------------------

void shutdown_thread::run_phases() {
  while (!core_.state.is_aborted()) {
    auto held = core_.state.acquire();
    auto* phase = core_.phases.next();
    held.unlock();
    if (phase == nullptr)
      return;
    run_phase(*phase);
    watch_deadline();
  }
}

void shutdown_thread::run_phase(shutdown_phase& phase) {
  core_.strays.enter(phase);
  enter(phase);
  core_.state.log().debug("phase '{}' begins", phase.name);
  if (&phase == &core_.phases.threads() && !core_.workers.empty())
    start_workers();
  auto in_time = await(phase);
  if (!in_time)
    leave_late(phase);
  auto held = core_.state.acquire();
  auto has_failed = core_.actions.have_failed(phase);
  held.unlock();
  if (!phase.options.recover && (!in_time || has_failed))
    core_.abort(in_time ? status_error : status_deadline,
                "phase '" + phase.name + "' failed");
}

void shutdown_thread::enter(shutdown_phase& phase) {
  auto held = core_.state.acquire();
  phase.began = true;
  phase.released = !phase.options.together;
  phase.began_at = clock::now();
  core_.state.course.enter_stage(phase.name);
  core_.actions.enter(phase);
  core_.participants.request_exits(phase, held);
}

void shutdown_thread::start_workers() {
  auto error = core_.threads.try_start(
    "the thread of", "workers", core_.shared_from_this(),
    [this] { core_.workers.run(core_.state); });
  if (!error.empty())
    core_.workers.fail(core_.state, error);
}

void shutdown_thread::start_actions(const shutdown_phase& phase) {
  auto next = [&] {
    auto held = core_.state.acquire();
    return core_.actions.begin_next(phase);
  };
  while (auto* action = next())
    start_action(*action);
}

void shutdown_thread::start_action(phase_action& action) {
  auto& state = core_.state;
  auto note = [&state, &action](const std::string& error) {
    action.code = nullptr; // it may keep other objects alive
    auto held = state.acquire();
    action.run.end(error);
  };
  auto error = core_.threads.try_start(
    "function", action.name, core_.shared_from_this(),
    [&core = core_, &action, note] {
      note(core.run(action));
      core.state.notify();
    });
  if (!error.empty())
    note(error);
}

bool shutdown_thread::await(shutdown_phase& phase) {
  auto& state = core_.state;
  auto held = state.acquire();
  auto end = add_saturated(phase.began_at, phase.options.timeout);
  // An actor that cannot drain delays the other actors by at most half of the
  // timeout.
  auto last_release = add_saturated(phase.began_at, phase.options.timeout / 2);
  for (;;) {
    held.unlock();
    start_actions(phase);
    held.lock();
    if (is_done(phase))
      break;
    auto now = clock::now();
    if (state.course.aborted_at() || now >= end)
      return false;
    if (!phase.released && (phase.undrained == 0 || now >= last_release))
      core_.participants.release(phase, held);
    auto next = std::min(
      phase.released ? end : last_release, state.course.deadline_at());
    held.unlock();
    wait_until(next);
    watch_deadline();
    held.lock();
  }
  // Participants that are added later are not awaited.
  phase.over = true;
  phase.over_at = clock::now();
  return true;
}

bool shutdown_thread::is_done(const shutdown_phase& phase) const {
  if (&phase == &core_.phases.threads()
      && !(core_.guards.empty() && core_.workers.are_over()))
    return false;
  return phase.living == 0 && core_.actions.are_over(phase);
}

void shutdown_thread::leave_late(shutdown_phase& phase) {
  if (!core_.state.is_aborted()) {
    log_late(phase);
    core_.participants.abort_all(&phase);
  }
  auto held = core_.state.acquire();
  phase.over = phase.late = true;
  phase.over_at = clock::now();
  core_.actions.leave(phase, core_.state.course.aborted_at().has_value());
  core_.state.course.worsen_status(status_deadline);
}

void shutdown_thread::log_late(const shutdown_phase& phase) const {
  short_list late;
  for (auto& entry : core_.status().parts)
    if (entry.phase == phase.name && !is_over(entry.now))
      late.add(to_string(entry));
  core_.state.log().error(
    "phase '{}' is not over after its timeout ({}):{}", phase.name,
    time_text(phase.options.timeout), late.text());
}

// -- after the phases ---------------------------------------------------------

void shutdown_thread::finish() {
  auto& state = core_.state;
  auto held = state.acquire();
  abort_rest(held, state.course.aborted_at().value_or(clock::now()));
  auto was_clean = all_gone();
  held.unlock();
  run_backup();
  held.lock();
  // Aborts participants that the backup started, and the backup itself.
  if (was_clean)
    abort_rest(held, clock::now());
  auto is_clean = all_gone();
  auto is_refused = false;
  auto status = core_.process.map(state.course.result(is_clean), &is_refused);
  state.course.set_status(status);
  core_.threads.close(held);
  held.unlock();
  core_.refuse_results();
  log_unread();
  if (is_refused)
    state.log().error(
      "map_status returned a status that no process can end with (they are 0 "
      "to "
      "255): it counts as {}",
      status);
  if (!is_clean) {
    state.log().critical(
      "these could not be stopped: {}", to_string(core_.status()));
    core_.process.end(status);
  }
  held.lock();
  state.finish();
}

void shutdown_thread::run_backup() {
  auto& state = core_.state;
  auto code = state.take_backup();
  if (!code)
    return;
  auto held = state.acquire();
  state.course.enter_stage(backup_step::name);
  core_.backup.begin();
  held.unlock();
  auto error = run_in_time(
    {backup_step::name, std::move(code), state.options().backup_timeout,
     "backup_timeout"},
    [this] {
      auto also_held = core_.state.acquire();
      return core_.backup.is_given_up();
    });
  held.lock();
  if (!error)
    state.course.worsen_status(status_deadline);
  core_.backup.end(error.value_or("it did not return in time"));
}

void shutdown_thread::abort_rest(
  shutdown_state::lock& held, clock::time_point since) {
  if (all_gone())
    return;
  auto& state = core_.state;
  state.course.enter_stage("aborted");
  auto end = add_saturated(since, state.options().grace_period);
  held.unlock();
  core_.participants.abort_all(nullptr);
  held.lock();
  while (!all_gone() && clock::now() < end) {
    held.unlock();
    wait_until(end);
    held.lock();
  }
}

bool shutdown_thread::all_gone() const {
  return core_.phases.all_empty() && core_.guards.empty()
         && core_.threads.all_done();
}

void shutdown_thread::log_unread() const {
  short_list lines;
  auto held = core_.state.acquire();
  auto sum = core_.participants.letters().count();
  if (sum == 0)
    return;
  core_.participants.each_unread([&](auto& name, auto unread) {
    lines.add(fmt::format("{} of actor '{}'", unread, name));
  });
  held.unlock();
  core_.state.log().warn(
    "{} left unread:{}", plural(sum, "message was", "messages were"),
    lines.text());
}

void shutdown_thread::await_waiter() {
  auto& state = core_.state;
  auto held = state.acquire();
  if (state.is_awaited())
    return;
  auto patience = state.options().grace_period;
  auto begin = clock::now();
  auto end = add_saturated(begin, patience);
  core_.process.schedule(end, state.course.status());
  // Signals no longer have an effect.
  auto is_forgotten_until = [&](clock::time_point then) {
    while (!state.is_awaited() && clock::now() < then) {
      held.unlock();
      state.sleep_until(then);
      held.lock();
    }
    return !state.is_awaited();
  };
  if (patience > time_to_return && is_forgotten_until(begin + time_to_return)) {
    held.unlock();
    state.log().warn(
      "the shutdown has finished, and waits for main() to call "
      "wait_for_shutdown() "
      "or to destroy it, for another {}",
      time_text(patience - time_to_return));
    held.lock();
  }
  auto is_forgotten = is_forgotten_until(end);
  held.unlock();
  if (is_forgotten) {
    state.log().critical(
      "the shutdown finished {} ago, but the program has neither called "
      "wait_for_shutdown() nor destroyed it: main() seems to be blocked in a "
      "call; let it wait for the shutdown, and read standard "
      "input with rosia::line_reader, which the shutdown interrupts",
      time_text(patience));
    core_.process.end(state.course.status());
  }
  core_.process.cancel();
}

} // namespace caf::rosia::detail
