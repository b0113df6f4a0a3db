// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_drill/control.hpp"
#include "rosia_drill/outcome.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace rosia_drill {

/// The events of a round, with their times since its start. A report shows the
/// first and the last lines of each log, and the first and the last steps of
/// the protocol. The rest is only counted.
class timeline {
public:
  // -- constants --------------------------------------------------------------

  static constexpr std::size_t lines_of_log = 60;
  static constexpr std::size_t longest_line = 300;
  static constexpr std::size_t most_steps = 400;

  // -- time -------------------------------------------------------------------

  /// Starts the round.
  void start();

  /// Returns the start by the monotonic clock, in nanoseconds.
  std::int64_t started_at() const noexcept {
    return start_;
  }

  /// Returns the nanoseconds since the start.
  std::int64_t elapsed() const;

  // -- events -----------------------------------------------------------------

  /// Adds a fault that the tool injected into a process.
  void add_fault(const std::string& process, const std::string& text);

  /// Adds a fault that a process reports of one of its nodes.
  void add_fault(const std::string& process, const process_step& step,
                 const std::string& text);

  /// Keeps only the first and the last steps.
  void add_step(const std::string& process, const process_step& step);

  /// Keeps only the first and the last lines of a process.
  void add_line(const std::string& process, const std::string& line);

  /// @param status as in a shell.
  void add_end(const std::string& process, int status);

  /// Removes and returns all kept events, in the order of time.
  std::vector<round_event> take();

  /// Returns the number of lines added.
  std::uint64_t log_lines() const;

  /// Returns the number of steps added.
  std::uint64_t protocol_steps() const {
    return steps_.count;
  }

private:
  /// The first and the last events of a sequence.
  struct both_ends {
    std::uint64_t count = 0;
    std::vector<round_event> first;
    std::deque<round_event> last;

    /// @param most maximum number of kept events, even.
    void add(round_event x, std::size_t most);

    void move_to(std::vector<round_event>& events);
  };

  round_event event_of(round_event_kind kind, const std::string& process,
                       const process_step& step, const std::string& text) const;

  std::int64_t start_ = 0;
  std::vector<round_event> events_;        // without lines and steps
  std::map<std::string, both_ends> lines_; // by process
  both_ends steps_;
};

} // namespace rosia_drill
