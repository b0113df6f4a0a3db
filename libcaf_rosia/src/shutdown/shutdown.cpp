// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/shutdown/shutdown.hpp"

#include "base/text.hpp"
#include "caf/rosia/shutdown/shutdown_config.hpp"
#include "shutdown/shutdown_core.hpp"

#include <caf/actor_system.hpp>

#include <list>
#include <stdexcept>
#include <utility>

namespace caf::rosia {

// -- guards -------------------------------------------------------------------

shutdown_guard& shutdown_guard::operator=(shutdown_guard&& other) noexcept {
  if (this != &other) {
    drop();
    core_ = std::move(other.core_);
    id_ = other.id_;
  }
  return *this;
}

shutdown_guard::~shutdown_guard() {
  drop();
}

shutdown_guard shutdown_guard::child(const std::string& name) const {
  if (!core_)
    throw std::logic_error(
      "guard '" + name + "' has a parent that was dropped");
  detail::require_name("guard", name);
  return core_->make_child(id_, name);
}

void shutdown_guard::start(
  const std::string& name, bool temporary, detail::thread_start thread) const {
  if (!core_)
    throw std::logic_error(
      "thread '" + name + "' has a guard that was dropped");
  detail::require_name("thread", name);
  core_->spawn(core_->child_name(id_, name), temporary, std::move(thread));
}

std::stop_token shutdown_guard::token() const {
  return core_ ? core_->stop.get_token() : std::stop_token{};
}

void shutdown_guard::drop() noexcept {
  if (auto core = std::exchange(core_, nullptr))
    core->drop_guard(id_);
}

// -- shutdown -----------------------------------------------------------------

namespace {

void check_time(const char* name, std::chrono::nanoseconds time) {
  if (time.count() < 0)
    throw std::invalid_argument(
      std::string{name}
      + " of a shutdown is negative: " + std::to_string(time.count()) + " ns");
}

} // namespace

shutdown::shutdown(caf::actor_system& sys)
  : shutdown(sys, shutdown_options_from(sys.config())) {
  // nop
}

shutdown::shutdown(caf::actor_system& sys, shutdown_options opts) {
  check_time("deadline", opts.deadline);
  check_time("grace_period", opts.grace_period);
  check_time("on_signal_timeout", opts.on_signal_timeout);
  check_time("backup_timeout", opts.backup_timeout);
  core_ = detail::shutdown_core::make(sys, std::move(opts));
  runner_ = std::thread{[core = core_] { core->runner.run(); }};
}

shutdown::~shutdown() {
  core_->be_awaited();
  begin({"the end of the program"});
  runner_.join();
  // Signals no longer call the handler, which may own an actor.
  core_->state.take_on_signal();
  core_->await_system();
  core_->strays.close();
}

void shutdown::phase(const std::string& name, phase_options opts) {
  auto held = core_->state.acquire();
  core_->phases.set(name, std::move(opts));
}

std::uint64_t shutdown::on(const std::string& phase, const std::string& name,
                           std::function<void(const shutdown_reason&)> code) {
  detail::require_name("function", name);
  auto held = core_->state.acquire();
  return core_->actions.add(core_->phases.find(phase), name, std::move(code));
}

bool shutdown::remove(std::uint64_t function) {
  std::list<detail::phase_action> removed; // destroyed without the lock
  auto held = core_->state.acquire();
  removed = core_->actions.remove(function);
  return !removed.empty();
}

bool shutdown::on_signal(std::function<void()> handler) {
  // The previous handler is destroyed without the lock.
  auto held = core_->state.acquire();
  return core_->state.swap_on_signal(handler);
}

shutdown_guard shutdown::guard(const std::string& name) {
  detail::require_name("guard", name);
  return core_->make_guard(name, false);
}

shutdown_guard shutdown::temporary(const std::string& name) {
  detail::require_name("guard", name);
  return core_->make_guard(name, true);
}

void shutdown::start(const std::string& name, bool temporary,
                     detail::thread_start thread) {
  detail::require_name("thread", name);
  core_->spawn(name, temporary, std::move(thread));
}

std::stop_token shutdown::token() const {
  return core_->stop.get_token();
}

void shutdown::add_worker(const std::string& name, std::function<void()> notify,
                          std::function<void()> await) {
  detail::require_name("worker", name);
  auto held = core_->state.acquire();
  core_->workers.add(
    core_->phases.threads(), name, std::move(notify), std::move(await));
}

void shutdown::add_worker(const std::string& name, std::function<void()> notify,
                          std::thread worker) {
  add_worker(name, std::move(notify),
             [thread = std::make_shared<std::thread>(std::move(worker))] {
               thread->join();
             });
}

void shutdown::adopt_ptr(caf::strong_actor_ptr actor, std::string name,
                         part_options opts) {
  detail::require_name("participant", name);
  core_->adopt(std::move(actor), std::move(name), std::move(opts));
}

void shutdown::adopt_all(const std::string& phase) {
  core_->strays.want(phase);
}

void shutdown::on_dead_letter(
  std::function<void(const dead_letter&)> subscriber) {
  auto held = core_->state.acquire();
  core_->participants.letters().subscribe(std::move(subscriber));
}

bool shutdown::begin(shutdown_reason reason) {
  detail::require_exit_status("begin()", reason.status);
  return core_->state.begin(std::move(reason));
}

void shutdown::abort(int status) {
  detail::require_exit_status("abort()", status);
  core_->abort(status, "a request");
}

int shutdown::wait_for_shutdown() {
  return core_->wait(std::nullopt);
}

int shutdown::wait_for_shutdown(physical_time_span deadline) {
  check_time("deadline", deadline);
  return core_->wait(deadline);
}

shutdown_timeline shutdown::timeline() const {
  return core_->timeline();
}

shutdown_report shutdown::status() const {
  return core_->status();
}

} // namespace caf::rosia
