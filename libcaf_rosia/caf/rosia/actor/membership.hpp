// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/actor/process_actor.hpp"
#include "caf/rosia/options.hpp"

#include <caf/actor_system.hpp>
#include <caf/io/middleman_actor.hpp>

#include <spdlog/logger.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

namespace caf::rosia::detail {

/// Somebody wants the application to end before it has started.
class ended_early : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// This process as one of those that run an application: opens its port, finds
/// the others, and agrees with them; ends what it has started. From one thread,
/// unless said otherwise.
class membership {
public:
  // -- constructors, destructors ----------------------------------------------

  /// Opens a port. The coordinator's starts the other processes, if it is to;
  /// the others look for it. From here on until `wait_for_start` has returned,
  /// SIGINT and SIGTERM end the waiting for others, if the options say that
  /// they are to be handled: what waits throws `ended_early`. A second one ends
  /// the process.
  /// @param rehearsal null if there is none.
  /// @throws std::runtime_error naming what does not work, and what to do.
  membership(caf::actor_system& sys, const options& opts,
             std::shared_ptr<spdlog::logger> log,
             std::shared_ptr<drill> rehearsal);

  membership(const membership&) = delete;

  membership& operator=(const membership&) = delete;

  /// Closes the port.
  ~membership();

  // -- properties -------------------------------------------------------------

  /// That of the coordinator first.
  const std::vector<std::string>& processes() const noexcept {
    return processes_;
  }

  engine::process_id self() const noexcept {
    return self_;
  }

  bool coordinates() const noexcept {
    return self_ == 0;
  }

  /// Of this process, from any thread.
  const process_handle& actor() const noexcept {
    return actor_;
  }

  // -- before the start -------------------------------------------------------

  /// Tells what this process runs, and waits for all others.
  /// @throws std::runtime_error if nothing will come of it.
  join_reply join(join_request x);

  /// Connects with these processes. @returns the handles of all, by process;
  /// those of the others are invalid.
  /// @throws std::runtime_error naming who does not answer.
  std::vector<process_handle> meet(const std::vector<engine::process_id>& who);

  /// Waits until all are ready. @returns when to start, by the monotonic clock
  /// in nanoseconds. @throws std::runtime_error if nothing will come of it.
  std::int64_t wait_for_start();

  /// Nothing came of it: the others need not wait, and get the time to learn
  /// why. @param in_order whether those that were started from here get the
  /// time to end by themselves.
  void dismiss(bool in_order);

  // -- at the end, from any thread --------------------------------------------

  /// Kills what was started from here, at once.
  void kill_others() noexcept;

private:
  /// Watches out for signals.
  class early_signals;

  void on_signal(int signal, int count);

  /// @throws ended_early if a signal has come.
  void check_signals();

  /// @throws std::runtime_error if it is known that there will be none.
  void check_start();

  /// Pauses, unless a signal comes.
  void pause(std::chrono::nanoseconds duration);

  void spawn(process_actor::settings&& what);

  void coordinate();

  void find_coordinator();

  void open_port(const process_address& where);

  void start_others();

  /// Opens ports, and connects with others.
  caf::io::middleman_actor connector() const;

  process_handle connect(
    const process_address& where,
    std::chrono::steady_clock::time_point deadline, const std::string& whom);

  /// Tells whether it is for this process to start the others.
  bool starts_others() const noexcept {
    return !options_.processes.empty();
  }

  /// Greets the coordinator, some times over, to compare the clocks. @returns
  /// false if there was no answer.
  bool greet(std::chrono::nanoseconds patience);

  void find_own_name();

  std::chrono::steady_clock::time_point deadline() const;

  caf::actor_system* system_;
  options options_;
  std::shared_ptr<spdlog::logger> log_;
  std::shared_ptr<drill> drill_;
  std::vector<std::string> processes_;
  engine::process_id self_ = 0;
  std::string token_;
  process_address address_;
  std::future<void> life_; // of the actor
  process_handle actor_;
  process_handle hub_;
  std::int64_t ahead_ = 0; // of the coordinator's monotonic clock
  std::vector<process_address> addresses_;
  std::mutex mutex_; // of the thread that watches, and the others
  std::condition_variable signaled_;
  int signal_ = 0;                         // that came, protected by `mutex_`
  std::unique_ptr<early_signals> signals_; // last: uses all of the above
};

} // namespace caf::rosia::detail
