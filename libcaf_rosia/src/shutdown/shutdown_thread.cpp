// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "shutdown/shutdown_thread.hpp"

#include "base/duration.hpp"
#include "base/text.hpp"
#include "shutdown/shutdown_core.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <memory>
#include <utility>

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

namespace caf::rosia::detail {

namespace {

/// How long a program may need to return from what it does, before it is told
/// that it is waited for.
constexpr std::chrono::seconds time_to_return{1};

} // namespace

shutdown_thread::shutdown_thread(shutdown_core& core) : core_(core) {
  auto& options = core.state.options();
  watch_.emplace(options.signals, core.state.descriptor(), options.sighup);
}

void shutdown_thread::run() {
  auto& state = core_.state;
  while (!state.has_begun())
    wait_until(clock::time_point::max());
  {
    auto held = state.acquire();
    core_.process.schedule();
  }
  state.log().info("{}: the system shuts down; a second signal aborts it",
                   state.reason().what);
  if (state.begun_by_signal() && state.options().on_signal)
    run_on_signal();
  core_.stop.request_stop();
  run_phases();
  finish();
  core_.process.cancel();
  await_waiter();
  // Actors may keep this alive for long.
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
  auto deadline = core_.state.deadline();
  if (core_.state.aborted_at() || clock::now() < core_.state.deadline_at())
    return;
  held.unlock();
  core_.abort(status_deadline, "the shutdown takes longer than its deadline ("
                                 + time_text(deadline) + ")");
}

// -- before the phases --------------------------------------------------------

void shutdown_thread::run_on_signal() {
  auto& state = core_.state;
  if (!run_in_time("on_signal", state.options().on_signal)
      && state.options().backup)
    run_in_time("backup", state.options().backup);
  // The deadline is for what follows.
  auto held = state.acquire();
  state.restart_deadline();
}

bool shutdown_thread::run_in_time(
  const char* name, const std::function<void()>& handler) {
  enum class outcome : std::uint8_t { none, good, bad };
  auto& state = core_.state;
  auto result = std::make_shared<std::atomic<outcome>>(outcome::none);
  auto error = core_.threads.try_start(
    "handler", name, core_.shared_from_this(), [&state, name, handler, result] {
      *result
        = state.run("handler", name, handler).empty()
            ? outcome::good
            : outcome::bad;
    });
  if (!error.empty())
    return false;
  auto timeout = state.options().on_signal_timeout;
  auto end = add_saturated(clock::now(), timeout);
  while (*result == outcome::none && clock::now() < end && !state.is_aborted())
    wait_until(end);
  if (*result == outcome::none)
    state.log().error(
      "handler '{}' did not return within on_signal_timeout ({}): "
      "the shutdown continues without it",
      name, time_text(timeout));
  return *result == outcome::good;
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
  auto actions = enter(phase);
  core_.state.log().debug("phase '{}' begins", phase.name);
  if (&phase == &core_.phases.tasks() && !core_.workers.empty())
    start_workers();
  auto has_failed = std::make_shared<std::atomic<bool>>(false);
  for (auto* action : actions)
    start_action(*action, has_failed);
  auto in_time = await(phase);
  if (!in_time)
    leave_late(phase);
  if (!phase.options.recover && (!in_time || *has_failed))
    core_.abort(in_time ? status_failed : status_deadline,
                "phase '" + phase.name + "' has failed");
}

std::vector<phase_action*> shutdown_thread::enter(shutdown_phase& phase) {
  auto held = core_.state.acquire();
  phase.began = true;
  phase.released = !phase.options.together;
  phase.began_at = clock::now();
  core_.state.enter_stage(phase.name);
  auto result = core_.actions.begin(phase);
  core_.participants.request_exits(phase, held);
  return result;
}

void shutdown_thread::start_workers() {
  auto error = core_.threads.try_start(
    "the thread of", "workers", core_.shared_from_this(),
    [this] { core_.workers.run(core_.state); });
  if (!error.empty())
    core_.workers.fail(core_.state, error);
}

void shutdown_thread::start_action(
  phase_action& action, const std::shared_ptr<std::atomic<bool>>& has_failed) {
  auto& state = core_.state;
  auto note = [&state, &action, has_failed](const std::string& error) {
    action.code = nullptr; // it may hold what keeps others alive
    if (!error.empty())
      *has_failed = true;
    auto held = state.acquire();
    action.run.end(error);
  };
  auto error = core_.threads.try_start(
    "task", action.name, core_.shared_from_this(), [&state, &action, note] {
      note(
        state.run("task", action.name, [&] { action.code(state.reason()); }));
    });
  if (!error.empty())
    note(error);
}

bool shutdown_thread::await(shutdown_phase& phase) {
  auto& state = core_.state;
  auto held = state.acquire();
  auto end = add_saturated(phase.began_at, phase.options.timeout);
  // Who cannot handle its backlog holds up the others for so long only.
  auto last_release = add_saturated(phase.began_at, phase.options.timeout / 2);
  while (!is_done(phase)) {
    auto now = clock::now();
    if (state.aborted_at() || now >= end)
      return false;
    if (!phase.released && (phase.undrained == 0 || now >= last_release))
      core_.participants.release(phase, held);
    auto next
      = std::min(phase.released ? end : last_release, state.deadline_at());
    held.unlock();
    wait_until(next);
    watch_deadline();
    held.lock();
  }
  // Nobody who comes from now on is waited for here.
  phase.over = true;
  phase.over_at = clock::now();
  return true;
}

bool shutdown_thread::is_done(const shutdown_phase& phase) const {
  if (&phase == &core_.phases.tasks()
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
  core_.state.worsen_status(status_deadline);
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
  if (!all_gone())
    abort_rest(held);
  auto is_clean = all_gone();
  auto is_refused = false;
  auto status = core_.process.map(state.result(is_clean), &is_refused);
  state.set_status(status);
  core_.threads.close(held);
  held.unlock();
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

void shutdown_thread::abort_rest(shutdown_state::lock& held) {
  auto& state = core_.state;
  state.enter_stage("forced");
  auto end = add_saturated(
    state.aborted_at().value_or(clock::now()), state.options().grace_period);
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
  core_.process.schedule(end, state.status());
  // Signals change nothing any more.
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
      "the shutdown is over, and waits for main() to call wait_for_shutdown() "
      "or to destroy it, for another {}",
      time_text(patience - time_to_return));
    held.lock();
  }
  auto is_forgotten = is_forgotten_until(end);
  held.unlock();
  if (is_forgotten) {
    state.log().critical(
      "the shutdown has been over for {}, but the program has neither called "
      "wait_for_shutdown() nor destroyed it: main() seems to be blocked in a "
      "call; let it wait for the shutdown, and read standard "
      "input with rosia::line_reader, which the shutdown interrupts",
      time_text(patience));
    core_.process.end(state.status());
  }
  core_.process.cancel();
}

} // namespace caf::rosia::detail
