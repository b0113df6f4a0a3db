// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_drill/control.hpp"
#include "rosia_drill/outcome.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace rosia_drill {

/// The events of a round, with their times since its start. A report shows the
/// first lines of each log and the first steps of the protocol: later ones are
/// left out.
class timeline {
public:
  // -- constants --------------------------------------------------------------

  static constexpr std::size_t lines_of_log = 60;
  static constexpr std::size_t longest_line = 300;
  static constexpr std::size_t most_steps = 400;

  // -- time -------------------------------------------------------------------

  /// The round starts now.
  void start();

  /// By the monotonic clock, in nanoseconds.
  std::int64_t started_at() const noexcept {
    return start_;
  }

  /// Nanoseconds since the start.
  std::int64_t elapsed() const;

  // -- events -----------------------------------------------------------------

  /// The tool has done something to a process.
  void add_fault(const std::string& process, const std::string& text);

  /// A process tells that a fault has happened to one of its nodes.
  void add_fault(const std::string& process, const process_step& step,
                 const std::string& text);

  void add_step(const std::string& process, const process_step& step);

  void add_line(const std::string& process, const std::string& line);

  /// @param status as a shell tells it.
  void add_end(const std::string& process, int status);

  /// All events, by time. None is left.
  std::vector<round_event> take();

private:
  void add(round_event_kind kind, const std::string& process,
           const process_step& step, const std::string& text);

  std::int64_t start_ = 0;
  std::vector<round_event> events_;
  std::map<std::string, std::size_t> lines_; // by process
  std::size_t steps_ = 0;
};

} // namespace rosia_drill
