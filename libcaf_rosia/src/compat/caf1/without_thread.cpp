// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/without_thread.hpp"

#include "base/last_words.hpp"

#include <caf/actor_system_module.hpp>
#include <caf/defaults.hpp>
#include <caf/detail/actor_system_access.hpp>
#include <caf/scheduler.hpp>
#include <caf/version.hpp>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

namespace caf::rosia::detail {

namespace {

constexpr int status_error = 1;

/// Begins the message; what it is for has no end.
std::string& program_name() {
  static auto* result = new std::string;
  return *result;
}

/// CAF's constructor destroys threads that run if another one is missing, which
/// nobody can catch.
[[noreturn]] void end_start() noexcept {
  limit_last_words(status_error);
  std::string reason = text_of(std::system_error{
    std::make_error_code(std::errc::resource_unavailable_try_again)});
  std::cerr << program_name() << ": cannot start the actor system: " << reason
            << std::endl;
  std::_Exit(status_error);
}

/// CAF's scheduler, which may wait for ever if it is destroyed while some of
/// its workers run: because there is no thread for another one, or for what
/// starts later.
class guarded_scheduler : public caf::scheduler {
public:
  explicit guarded_scheduler(std::unique_ptr<caf::scheduler> guarded)
    : scheduler_(std::move(guarded)) {
    // nop
  }

  ~guarded_scheduler() override {
    if (running_)
      end_start();
  }

  void schedule(caf::resumable* what) override {
    scheduler_->schedule(what);
  }

  void delay(caf::resumable* what) override {
    scheduler_->delay(what);
  }

  void start() noexcept override {
    scheduler_->start();
    running_ = true;
  }

  void stop() override {
    scheduler_->stop();
    running_ = false;
  }

private:
  std::unique_ptr<caf::scheduler> scheduler_;
  bool running_ = false;
};

/// Is there while a system constructs its modules, before it has a scheduler,
/// and gives it one. CAF replaces it by its own module of this kind.
class scheduler_guard : public caf::actor_system_module {
public:
  explicit scheduler_guard(caf::actor_system& sys) {
    auto policy = caf::get_or(
      sys.config(), "caf.scheduler.policy", caf::defaults::scheduler::policy);
    if (policy == "sharing")
      set(sys, caf::scheduler::make_work_sharing(sys));
    else if (policy == "stealing")
      set(sys, caf::scheduler::make_work_stealing(sys));
  }

  static caf::actor_system_module* make(caf::actor_system& sys) {
    return new scheduler_guard{sys};
  }

  static void add_module_options(caf::actor_system_config&) {
    // nop
  }

  static void check_abi_compatibility(caf::version::abi_token) {
    // nop
  }

  void start() override {
    // nop
  }

  void stop() override {
    // nop
  }

  void init(caf::actor_system_config&) override {
    // nop
  }

  id_t id() const override {
    return daemons;
  }

  void* subtype_ptr() override {
    return nullptr;
  }

private:
  static void set(caf::actor_system& sys, std::unique_ptr<caf::scheduler> x) {
    caf::detail::actor_system_access{sys}.scheduler(
      std::make_unique<guarded_scheduler>(std::move(x)));
  }
};

} // namespace

void guard_modules(caf::actor_system_config& cfg, const std::string& program) {
  program_name() = program;
  cfg.load<scheduler_guard>();
}

start_guard::start_guard() : before_(std::set_terminate(end_start)) {
  // nop
}

start_guard::~start_guard() {
  std::set_terminate(before_);
}

void launch_detached(caf::actor_system& sys, caf::local_actor& self) {
  try {
    self.launch(launcher_of(sys), false, false);
  } catch (const std::system_error&) {
    self.unregister_from_system();
    throw;
  }
}

} // namespace caf::rosia::detail
