// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/options.hpp"
#include "compat/io/frame_link.hpp"
#include "compat/io/process_network.hpp"
#include "distributed/gateway_slot.hpp"
#include "distributed/joining_signals.hpp"
#include "distributed/process_messages.hpp"

#include <caf/actor_system.hpp>

#include <spdlog/logger.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace caf::rosia::detail {

/// Opens the port of this process, and connects it with other processes, as the
/// options say. Used by one thread. Tests: test/distributed.
class process_connector {
public:
  /// Called after an attempt to connect that may be repeated. Throws if that
  /// makes no sense.
  using check = std::function<void(const process_network::attempt&)>;

  /// Maximum duration of one attempt to connect.
  static constexpr std::chrono::seconds longest_attempt{5};

  /// @param token of the application.
  /// @param processes the maximum number of processes.
  /// @throws std::invalid_argument for errors in files of certificates.
  process_connector(
    caf::actor_system& sys, const options& opts, const std::string& token,
    std::size_t processes, std::shared_ptr<spdlog::logger> log,
    std::shared_ptr<gateway_slot> frames);

  /// Publishes the actor of this process.
  /// @param where ignored if all processes run on this machine, on behalf of
  /// one
  ///        coordinator.
  /// @returns the address of this process.
  /// @throws std::runtime_error with the problem, and advice.
  process_address open(const process_handle& actor,
                       const process_address& where);

  /// Undoes `open`.
  void close(const process_handle& actor);

  /// Connects with a process.
  /// @param name of the process, for messages.
  /// @throws std::runtime_error with the problem, and advice.
  /// @throws ended_early if a signal arrives.
  process_handle connect(
    const process_address& address,
    std::chrono::steady_clock::time_point deadline, const std::string& name,
    joining_signals& signals, const check& on_failure);

  /// Returns the connections with these processes; null if there is none.
  std::vector<frame_link_ptr> links_to(
    const std::vector<process_handle>& processes);

private:
  std::chrono::nanoseconds join_timeout_;
  std::shared_ptr<spdlog::logger> log_;
  bool local_; // no process of another coordinator or host
  process_network network_;
};

} // namespace caf::rosia::detail
