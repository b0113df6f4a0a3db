// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "simulated_workers/simulated_scheduler.hpp"

#include "caf_version.hpp"

#include <caf/actor_system_config.hpp>
#include <caf/detail/thread_safe_actor_clock.hpp>
#include <caf/execution_unit.hpp>
#include <caf/logger.hpp>
#include <caf/resumable.hpp>
#include <caf/scheduler/abstract_coordinator.hpp>

#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace simulated_workers {

namespace {

/// A CAF scheduler with simulated workers. Like CAF's policy `sharing`, which
/// the library sets, it has one queue for all workers.
class simulated_scheduler final : public caf::scheduler::abstract_coordinator {
public:
  simulated_scheduler(caf::actor_system& sys, worker_clocks& clocks,
                      const costs& prices);

  ~simulated_scheduler() override;

  // -- overridden functions of abstract_coordinator ---------------------------

  void start() override;

  void stop() override;

  void enqueue(caf::resumable* job) override;

  caf::actor_clock& clock() noexcept override {
    return clock_;
  }

private:
  class worker;

  /// Returns the next job; null if the scheduler stops.
  caf::resumable* dequeue(std::size_t number);

  worker_clocks& clocks_;
  const costs prices_;
  std::vector<std::unique_ptr<worker>> workers_;
  caf::detail::thread_safe_actor_clock clock_;
  std::mutex mutex_; // protects the members below
  std::deque<caf::resumable*> queue_;
  std::deque<std::size_t> idle_;
  bool stops_ = false;
};

class simulated_scheduler::worker final : public caf::execution_unit {
public:
  worker(simulated_scheduler& parent, std::size_t number)
    : execution_unit(&parent.system()), parent_(parent), number_(number),
      thread_([this] { run(); }) {
    // nop
  }

  void exec_later(caf::resumable* job) override {
    parent_.enqueue(job);
  }

private:
  void run() {
    CAF_SET_LOGGER_SYS(&system());
    system().thread_started();
    parent_.clocks_.begin(number_);
    while (auto* job = parent_.dequeue(number_)) {
      parent_.clocks_.charge(parent_.prices_.activation);
      switch (job->resume(this, parent_.max_throughput())) {
        case caf::resumable::resume_later:
          parent_.enqueue(job);
          break;
        case caf::resumable::shutdown_execution_unit:
          break;
        default:
          caf::intrusive_ptr_release(job);
      }
    }
    parent_.clocks_.leave();
    system().thread_terminates();
  }

  simulated_scheduler& parent_;
  const std::size_t number_;
  std::jthread thread_;
};

simulated_scheduler::simulated_scheduler(
  caf::actor_system& sys, worker_clocks& clocks, const costs& prices)
  : abstract_coordinator(sys), clocks_(clocks), prices_(prices) {
  // nop
}

simulated_scheduler::~simulated_scheduler() {
  // nop
}

void simulated_scheduler::start() {
  for (std::size_t i = 0; i < num_workers(); ++i) {
    idle_.push_back(i);
    workers_.push_back(std::make_unique<worker>(*this, i));
  }
  abstract_coordinator::start();
}

void simulated_scheduler::stop() {
  stop_actors();
  {
    std::lock_guard guard{mutex_};
    stops_ = true;
    for (auto i : idle_)
      clocks_.wake(i, 0);
    idle_.clear();
  }
  clocks_.run_all();
  workers_.clear();
}

void simulated_scheduler::enqueue(caf::resumable* job) {
  std::lock_guard guard{mutex_};
  queue_.push_back(job);
  if (idle_.empty())
    return;
  auto next = idle_.front();
  idle_.pop_front();
  clocks_.charge(prices_.wake);
  clocks_.wake(next, prices_.latency);
}

caf::resumable* simulated_scheduler::dequeue(std::size_t number) {
  for (;;) {
    clocks_.pass();
    {
      std::lock_guard guard{mutex_};
      if (!queue_.empty()) {
        auto* result = queue_.front();
        queue_.pop_front();
        return result;
      }
      if (stops_)
        return nullptr;
      idle_.push_back(number);
    }
    clocks_.sleep();
  }
}

} // namespace

void load_simulated_scheduler(
  caf::actor_system_config& cfg, std::size_t workers, worker_clocks& clocks,
  const costs& prices) {
  test::set_caf_option(cfg, "scheduler.max-threads", workers);
  cfg.module_factories.push_back([&clocks, prices](caf::actor_system& sys) {
    return new simulated_scheduler{sys, clocks, prices};
  });
}

} // namespace simulated_workers
