// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/options.hpp"
#include "distributed/coordinator_search.hpp"
#include "distributed/gateway_slot.hpp"
#include "distributed/joining_signals.hpp"
#include "distributed/process_actor.hpp"
#include "distributed/process_connector.hpp"

#include <caf/actor_system.hpp>

#include <spdlog/logger.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <vector>

namespace caf::rosia::detail {

/// The membership of this process in a distributed application: opens its port,
/// finds the other processes, and agrees with them. Ends the processes that it
/// started. Used by one thread, unless said otherwise. Tests: test/distributed.
class membership {
public:
  // -- constructors, destructors ----------------------------------------------

  /// Opens a port. The coordinator starts the other processes, if the options
  /// say so. Other processes look for the coordinator. Until `wait_for_start`
  /// returns, a first SIGINT or SIGTERM makes all waiting functions throw
  /// `ended_early`, if the options enable the handling of signals. A second one
  /// ends the process.
  /// @param rehearsal null if there is none.
  /// @param start the coordinator's choice for all processes.
  /// @throws std::runtime_error with the problem, and advice.
  membership(caf::actor_system& sys, const options& opts,
             std::shared_ptr<spdlog::logger> log,
             std::shared_ptr<drill> rehearsal, starting_point start);

  membership(const membership&) = delete;

  membership& operator=(const membership&) = delete;

  /// Closes the port.
  ~membership();

  // -- properties -------------------------------------------------------------

  /// Returns the names of all processes, that of the coordinator first.
  const std::vector<std::string>& processes() const noexcept {
    return known_.processes;
  }

  /// Returns the coordinator's option.
  const std::string& placement() const noexcept {
    return known_.placement;
  }

  engine::process_id self() const noexcept {
    return known_.self;
  }

  bool coordinates() const noexcept {
    return known_.self == 0;
  }

  /// Returns the actor of this process. From any thread.
  const process_handle& actor() const noexcept {
    return actor_;
  }

  /// Returns the place where the connections find the gateway.
  const std::shared_ptr<gateway_slot>& frames() const noexcept {
    return frames_;
  }

  // -- before the start -------------------------------------------------------

  /// Sends the declarations of this process, and waits for all processes.
  /// @throws std::runtime_error if the application does not start.
  join_reply join(join_request request);

  /// Connects with these processes.
  /// @returns the handles by process; invalid for all other processes.
  /// @throws std::runtime_error naming a process that does not answer.
  std::vector<process_handle> meet(
    const std::vector<engine::process_id>& processes);

  /// Returns the connections with these processes; null if there is none.
  std::vector<frame_link_ptr> links_to(
    const std::vector<process_handle>& processes) {
    return connector_->links_to(processes);
  }

  /// Waits until all processes are ready.
  /// @returns the time of the start, by the monotonic clock, in nanoseconds.
  /// @throws std::runtime_error if the application does not start.
  std::int64_t wait_for_start();

  /// Lets `wait_for_start` return at once, because there is nothing to wait
  /// for. From any thread.
  void hurry() {
    signals_->hurry();
  }

  /// Waits until messages of other processes no longer reach the application.
  void close();

  /// Notifies the other processes that the application does not start, and
  /// gives them the time to read why.
  /// @param in_order whether processes started from here get the time to exit
  ///        by themselves.
  void dismiss(bool in_order);

  // -- at the end, from any thread --------------------------------------------

  /// Kills the processes started from here, at once.
  void kill_others() noexcept;

private:
  /// Opens nothing. After this constructor, the destructor cleans up even if
  /// the public constructor throws.
  membership(const options& opts, caf::actor_system& sys,
             std::shared_ptr<spdlog::logger> log,
             std::shared_ptr<drill> rehearsal);

  /// @throws std::runtime_error if it is known that there is no start.
  void check_start();

  void spawn(process_actor::settings&& init);

  void make_connector(std::size_t processes);

  void coordinate(starting_point&& start);

  void find_coordinator();

  void start_others();

  /// Returns whether this process starts the other processes.
  bool starts_others() const noexcept {
    return !options_.processes.empty();
  }

  std::chrono::steady_clock::time_point deadline() const;

  caf::actor_system* system_;
  options options_;
  std::shared_ptr<spdlog::logger> log_;
  std::shared_ptr<drill> drill_;
  std::string token_;
  std::atomic<bool> started_others_{false}; // or is about to start them
  std::shared_ptr<gateway_slot> frames_ = std::make_shared<gateway_slot>();
  std::unique_ptr<process_connector> connector_;
  process_address address_;
  std::future<void> life_; // of the actor
  process_handle actor_;
  invitation known_;
  std::vector<process_address> addresses_;
  std::unique_ptr<joining_signals> signals_; // last: uses all of the above
};

} // namespace caf::rosia::detail
