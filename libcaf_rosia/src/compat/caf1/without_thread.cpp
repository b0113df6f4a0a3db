// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/without_thread.hpp"

#include "base/exit_status.hpp"
#include "base/last_words.hpp"

#include <caf/actor_system_module.hpp>
#include <caf/defaults.hpp>
#include <caf/detail/actor_system_access.hpp>
#include <caf/intrusive_ptr.hpp>
#include <caf/log/event.hpp>
#include <caf/logger.hpp>
#include <caf/ref_counted.hpp>
#include <caf/scheduler.hpp>
#include <caf/version.hpp>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace caf::rosia::detail {

namespace {

/// The beginning of the message. Never destroyed.
std::string& program_name() {
  static auto* result = new std::string;
  return *result;
}

/// Ends the process if CAF's constructor fails: if a thread cannot be created,
/// the constructor destroys running threads, which calls std::terminate.
[[noreturn]] void end_start() noexcept {
  limit_last_words(status_error);
  std::string reason = text_of(std::system_error{
    std::make_error_code(std::errc::resource_unavailable_try_again)});
  std::cerr << program_name() << ": cannot start the actor system: " << reason
            << std::endl;
  std::_Exit(status_error);
}

/// Wraps CAF's scheduler, which may block forever if it is destroyed while some
/// of its workers run. This happens if there is no thread for a further worker,
/// or for a module started later.
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

// Private functions of a logger.
void log_to(caf::logger& x, caf::log::event_ptr&& event);
void init(caf::logger& x, const caf::actor_system_config& cfg);
void start(caf::logger& x);
void stop(caf::logger& x);

/// An explicit instantiation, like the one below, may name private members.
template <void (caf::logger::*Log)(caf::log::event_ptr&&),
          void (caf::logger::*Init)(const caf::actor_system_config&),
          void (caf::logger::*Start)(), void (caf::logger::*Stop)()>
struct logger_access {
  friend void log_to(caf::logger& x, caf::log::event_ptr&& event) {
    (x.*Log)(std::move(event));
  }

  friend void init(caf::logger& x, const caf::actor_system_config& cfg) {
    (x.*Init)(cfg);
  }

  friend void start(caf::logger& x) {
    (x.*Start)();
  }

  friend void stop(caf::logger& x) {
    (x.*Stop)();
  }
};

template struct logger_access<&caf::logger::do_log, &caf::logger::init,
                              &caf::logger::start, &caf::logger::stop>;

/// Wraps CAF's logger, which may have a thread, and starts last, when CAF can
/// no longer stop what it started.
class guarded_logger : public caf::ref_counted, public caf::logger {
public:
  explicit guarded_logger(caf::intrusive_ptr<caf::logger> guarded)
    : logger_(std::move(guarded)) {
    // nop
  }

  bool accepts(unsigned level, std::string_view component) override {
    return logger_->accepts(level, component);
  }

  void ref_logger() const noexcept override {
    ref();
  }

  void deref_logger() const noexcept override {
    deref();
  }

private:
  void do_log(caf::log::event_ptr&& event) override {
    log_to(*logger_, std::move(event));
  }

  void init(const caf::actor_system_config& cfg) override {
    detail::init(*logger_, cfg);
  }

  void start() noexcept override {
    detail::start(*logger_);
  }

  void stop() override {
    detail::stop(*logger_);
  }

  caf::intrusive_ptr<caf::logger> logger_;
};

/// A module that exists while a system constructs its modules, before the
/// system has a logger and a scheduler, and that sets both. CAF replaces it
/// with its own module of this kind.
class start_module : public caf::actor_system_module {
public:
  explicit start_module(caf::actor_system& sys) {
    caf::intrusive_ptr<caf::logger> logger{
      new guarded_logger{caf::logger::make(sys)}, false};
    detail::init(*logger, sys.config());
    caf::detail::actor_system_access{sys}.logger(logger);
    CAF_SET_LOGGER_SYS(&sys);
    auto policy = caf::get_or(
      sys.config(), "caf.scheduler.policy", caf::defaults::scheduler::policy);
    if (policy == "sharing")
      set(sys, caf::scheduler::make_work_sharing(sys));
    else if (policy == "stealing")
      set(sys, caf::scheduler::make_work_stealing(sys));
  }

  static caf::actor_system_module* make(caf::actor_system& sys) {
    return new start_module{sys};
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
  cfg.load<start_module>();
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
