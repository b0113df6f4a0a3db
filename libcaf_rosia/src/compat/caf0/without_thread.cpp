// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/without_thread.hpp"

#include "base/exception_text.hpp"
#include "base/exit_status.hpp"
#include "base/last_words.hpp"

#include <caf/atom.hpp>
#include <caf/config_value.hpp>
#include <caf/defaults.hpp>
#include <caf/policy/work_sharing.hpp>
#include <caf/policy/work_stealing.hpp>
#include <caf/scheduler/coordinator.hpp>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>

namespace caf::rosia::detail {

namespace {

using caf_module = caf::actor_system::module;

[[noreturn]] void end_start(
  const std::string& program, const std::string& error) noexcept {
  limit_last_words(status_error);
  std::cerr << program << ": cannot start the actor system: " << error
            << std::endl;
  // Other threads may use what would be destroyed.
  std::_Exit(status_error);
}

/// Detects that CAF's constructor failed: a module that was started must be
/// stopped before its destruction. After the modules, CAF starts only the
/// thread for its log.
class start_watch {
public:
  explicit start_watch(std::string program) : program_(std::move(program)) {
    // nop
  }

  start_watch(const start_watch&) = delete;

  start_watch& operator=(const start_watch&) = delete;

  ~start_watch() {
    if (running_)
      end_start(program_, text_of(std::system_error{std::make_error_code(
                            std::errc::resource_unavailable_try_again)}));
  }

  const std::string& program() const noexcept {
    return program_;
  }

  void running(bool x) noexcept {
    running_ = x;
  }

private:
  std::string program_;
  bool running_ = false;
};

/// Calls `fun`. Ends the process if `fun` throws.
template <class Fun>
void start_or_end(const std::string& program, Fun fun) noexcept {
  std::string error;
  try {
    fun();
    return;
  } catch (const std::system_error& e) {
    error = text_of(e);
  } catch (const std::exception& e) {
    error = exception_text(e);
  }
  end_start(program, error);
}

class guarded_module : public caf_module {
public:
  guarded_module(std::unique_ptr<caf_module> guarded, std::string program)
    : module_(std::move(guarded)), watch_(std::move(program)) {
    // nop
  }

  void start() override {
    start_or_end(watch_.program(), [this] { module_->start(); });
    watch_.running(true);
  }

  void stop() override {
    module_->stop();
    watch_.running(false);
  }

  void init(caf::actor_system_config& cfg) override {
    module_->init(cfg);
  }

  id_t id() const override {
    return module_->id();
  }

  void* subtype_ptr() override {
    return module_->subtype_ptr();
  }

private:
  std::unique_ptr<caf_module> module_;
  start_watch watch_; // last: outlived by the module
};

/// CAF identifies the scheduler by its type, so it cannot be wrapped.
template <class Policy>
class guarded_scheduler : public caf::scheduler::coordinator<Policy> {
public:
  using super = caf::scheduler::coordinator<Policy>;

  guarded_scheduler(caf::actor_system& sys, std::string program)
    : super(sys), watch_(std::move(program)) {
    // nop
  }

protected:
  void start() override {
    start_or_end(watch_.program(), [this] { super::start(); });
    watch_.running(true);
  }

  void stop() override {
    super::stop();
    watch_.running(false);
  }

private:
  start_watch watch_;
};

template <class Policy>
caf::actor_system_config::module_factory make_scheduler(std::string program) {
  return [program = std::move(program)](caf::actor_system& sys) -> caf_module* {
    return new guarded_scheduler<Policy>(sys, program);
  };
}

} // namespace

void guard_modules(caf::actor_system_config& cfg, const std::string& program) {
  auto& modules = cfg.module_factories;
  for (auto& make : modules)
    make = [make, program](caf::actor_system& sys) -> caf_module* {
      std::unique_ptr<caf_module> result{make(sys)};
      if (result->id() == caf_module::scheduler)
        return result.release();
      return new guarded_module(std::move(result), program);
    };
  // The user's scheduler replaces the first one in the list. CAF makes the
  // schedulers for tests and for profiling.
  auto policy
    = get_or(cfg, "scheduler.policy", caf::defaults::scheduler::policy);
  if (get_or(cfg, "scheduler.enable-profiling", false))
    return;
  if (policy == caf::atom("stealing"))
    modules.insert(
      modules.begin(), make_scheduler<caf::policy::work_stealing>(program));
  else if (policy == caf::atom("sharing"))
    modules.insert(
      modules.begin(), make_scheduler<caf::policy::work_sharing>(program));
}

void launch_detached(caf::actor_system& sys, caf::local_actor& self) {
  try {
    self.launch(launcher_of(sys), false, false);
  } catch (const std::system_error&) {
    // The thread would do this at its end.
    caf::intrusive_ptr_release(self.ctrl());
    sys.dec_detached_threads();
    throw;
  }
}

} // namespace caf::rosia::detail
