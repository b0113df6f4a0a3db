// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/options.hpp"
#include "compat/io/process_link.hpp"
#include "distributed/gateway_slot.hpp"
#include "distributed/interruptible_pause.hpp"
#include "distributed/process_actor.hpp"

#include <caf/actor_system.hpp>

#include <spdlog/logger.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace caf::rosia::detail {

class process_network;

/// The run and the tag of a checkpoint; no run if there is none.
struct resumed_checkpoint {
  std::string run;
  logical_time tag = never;
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
  /// @param from the coordinator's: the checkpoint that all continue from.
  /// @throws std::runtime_error naming what does not work, and what to do.
  membership(caf::actor_system& sys, const options& opts,
             std::shared_ptr<spdlog::logger> log,
             std::shared_ptr<drill> rehearsal, resumed_checkpoint from);

  membership(const membership&) = delete;

  membership& operator=(const membership&) = delete;

  /// Closes the port.
  ~membership();

  // -- properties -------------------------------------------------------------

  /// That of the coordinator first.
  const std::vector<std::string>& processes() const noexcept {
    return processes_;
  }

  /// The coordinator's option.
  const std::string& placement() const noexcept {
    return placement_;
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

  /// Where the connections find the gateway.
  const std::shared_ptr<gateway_slot>& frames() const noexcept {
    return frames_;
  }

  // -- before the start -------------------------------------------------------

  /// Tells what this process runs, and waits for all others.
  /// @throws std::runtime_error if there will be no start.
  join_reply join(join_request request);

  /// Connects with these processes. @returns the handles of all, by process;
  /// those of the others are invalid.
  /// @throws std::runtime_error naming who does not answer.
  std::vector<process_handle> meet(
    const std::vector<engine::process_id>& processes);

  /// The connections with these, by process; null where there is none.
  std::vector<process_link_ptr> links_to(
    const std::vector<process_handle>& processes);

  /// Waits until all are ready. @returns when to start, by the monotonic clock
  /// in nanoseconds. @throws std::runtime_error if there will be no start.
  std::int64_t wait_for_start();

  /// There is nothing to wait for: lets `wait_for_start` return at once. From
  /// any thread.
  void hurry();

  /// Waits until messages of others do not get to the application any more.
  void close();

  /// There will be no start: the others need not wait, and get the time to
  /// learn why. @param in_order whether those that were started from here get
  /// the time to end by themselves.
  void dismiss(bool in_order);

  // -- at the end, from any thread --------------------------------------------

  /// Kills what was started from here, at once.
  void kill_others() noexcept;

private:
  /// Watches out for signals.
  class early_signals;

  /// Opens nothing yet. Whatever the public constructor throws after this one,
  /// the destructor takes back what it had done by then.
  membership(const options& opts, caf::actor_system& sys,
             std::shared_ptr<spdlog::logger> log,
             std::shared_ptr<drill> rehearsal);

  void on_signal(int signal, int count);

  /// The coordinator did not react to the first signal in time.
  void on_silence(int signal);

  /// @throws ended_early if a signal has come.
  void check_signals();

  /// @throws std::runtime_error if it is known that there will be none.
  void check_start();

  /// Pauses, unless a signal comes.
  void pause(std::chrono::nanoseconds duration);

  void spawn(process_actor::settings&& init);

  void coordinate();

  void find_coordinator();

  void open_port(const process_address& where);

  void start_others();

  process_handle connect(
    const process_address& address,
    std::chrono::steady_clock::time_point deadline, const std::string& name);

  /// Tells whether it is for this process to start the others.
  bool starts_others() const noexcept {
    return !options_.processes.empty();
  }

  /// What the connections with the others need.
  std::unique_ptr<process_network> make_network(std::size_t processes) const;

  /// Greets the coordinator several times, to compare the clocks.
  /// @returns false if there was no answer.
  bool greet(std::chrono::nanoseconds patience);

  void find_own_name();

  std::chrono::steady_clock::time_point deadline() const;

  caf::actor_system* system_;
  options options_;
  std::shared_ptr<spdlog::logger> log_;
  std::shared_ptr<drill> drill_;
  resumed_checkpoint from_;
  std::vector<std::string> processes_;
  std::string placement_;
  engine::process_id self_ = 0;
  std::string token_;
  std::atomic<bool> started_others_{false}; // or is about to
  process_address address_;
  std::unique_ptr<process_network> network_;
  std::shared_ptr<gateway_slot> frames_ = std::make_shared<gateway_slot>();
  std::future<void> life_; // of the actor
  process_handle actor_;
  process_handle hub_;
  std::int64_t ahead_ = 0; // of the coordinator's monotonic clock
  std::vector<process_address> addresses_;
  interruptible_pause pause_;
  std::mutex mutex_; // protects `actor_` from the thread of `signals_`
  std::unique_ptr<early_signals> signals_; // last: uses all of the above
};

} // namespace caf::rosia::detail
