// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/options.hpp"
#include "distributed/joining_signals.hpp"
#include "distributed/process_connector.hpp"
#include "distributed/process_messages.hpp"
#include "engine/remote_loop_table.hpp"

#include <caf/actor_system.hpp>

#include <spdlog/logger.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace caf::rosia::detail {

/// The coordinator's answer to a process that may join. Tests:
/// test/distributed/starting_test.py.
struct invitation {
  process_handle coordinator;

  /// The names of all processes, that of the coordinator first.
  std::vector<std::string> processes;

  /// The process that is invited.
  engine::process_id self = 0;

  /// The coordinator's option.
  std::string placement;

  /// How far the coordinator's monotonic clock is ahead of this process's, in
  /// nanoseconds.
  std::int64_t ahead = 0;
};

/// Looks for the coordinator, and greets it. Used by one thread. Tests:
/// test/distributed/starting_test.py.
class coordinator_search {
public:
  /// The arguments must outlive this.
  /// @param token of the application.
  coordinator_search(caf::actor_system& sys, const options& opts,
                     const std::string& token, process_connector& connector,
                     joining_signals& signals, spdlog::logger& log);

  /// @throws std::runtime_error with the problem, and advice.
  /// @throws ended_early if a signal arrives.
  invitation run();

private:
  using clock = std::chrono::steady_clock;

  void connect(clock::time_point end);

  /// Greets the coordinator several times, to compare the clocks.
  /// @returns false if there was no answer.
  bool greet(std::chrono::nanoseconds patience);

  /// Warns once that the coordinator accepts no more processes.
  void note_late();

  void find_own_name();

  caf::actor_system& system_;
  const options& options_;
  const std::string& token_;
  process_connector& connector_;
  joining_signals& signals_;
  spdlog::logger& log_;
  invitation result_;
  bool is_late_ = false; // the application has started without this process
};

/// Returns the address of the coordinator in the options.
process_address coordinator_address(const options& opts);

} // namespace caf::rosia::detail
