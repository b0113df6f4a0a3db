// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_drill/busy_threads.hpp"
#include "rosia_drill/control.hpp"
#include "rosia_drill/drill_file.hpp"
#include "rosia_drill/event_loop.hpp"
#include "rosia_drill/injector.hpp"
#include "rosia_drill/outcome.hpp"
#include "rosia_drill/round_links.hpp"
#include "rosia_drill/round_processes.hpp"
#include "rosia_drill/round_settings.hpp"
#include "rosia_drill/timeline.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace rosia_drill {

/// Runs a program once, with its faults, and returns the result. Does not
/// compare it with the expectations. May be used from any one thread.
class runner {
public:
  // -- constructors, destructors ----------------------------------------------

  /// Creates the folders of the round.
  /// @param definition must outlive this object, as must the settings.
  /// @throws std::system_error if no port is available.
  runner(const drill& definition, const round_settings& settings);

  runner(const runner&) = delete;

  runner& operator=(const runner&) = delete;

  // -- running ----------------------------------------------------------------

  /// Runs the round. Call once.
  /// @throws std::system_error if a process cannot be started.
  outcome run();

private:
  // -- starting ---------------------------------------------------------------

  void launch(std::size_t i);

  void start(std::size_t i);

  // -- messages from processes ------------------------------------------------

  std::vector<std::string> instruct(
    control::peer client, const std::string& process);

  void take_nodes(control::peer client, const std::vector<std::string>& names);

  /// Called when logical time starts; only the first call counts.
  void begin_time(std::int64_t at);

  void take_step(control::peer client, const process_step& x);

  void take_output(std::size_t i);

  void take_line(std::size_t i, const std::string& line);

  void take_end(std::size_t i);

  void arm(const planned_fault& x);

  // -- the end ----------------------------------------------------------------

  /// Checks periodically whether the round must be ended by the tool.
  void watch();

  void give_up();

  void kill_all();

  bool is_over() const;

  void finish();

  /// Kills or removes what the round's processes left behind, and records it.
  void collect_leftovers();

  void end_descendants();

  void read_report();

  const drill* definition_;
  const round_settings* settings_;
  std::mt19937_64 random_;
  busy_threads load_;
  outcome result_;
  timeline events_;
  event_loop loop_;
  round_processes processes_;
  std::optional<round_links> links_;
  std::optional<injector> injector_;
  std::optional<control> control_;
  std::set<std::string> nodes_; // reported by processes, strangers included
  std::vector<round_process*> peers_; // by number; null for strangers
  std::size_t to_start_ = 0;
  bool given_up_ = false;
};

} // namespace rosia_drill
