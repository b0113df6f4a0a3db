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
/// the protocol. Those between are counted, and left out.
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

  /// Keeps the first and the last steps, and drops those between.
  void add_step(const std::string& process, const process_step& step);

  /// Keeps the first and the last lines of a process, and drops those between.
  void add_line(const std::string& process, const std::string& line);

  /// @param status as a shell tells it.
  void add_end(const std::string& process, int status);

  /// All events that were kept, by time. None is left.
  std::vector<round_event> take();

  /// Counts the lines that were added.
  std::uint64_t log_lines() const;

  /// Counts the steps that were added.
  std::uint64_t protocol_steps() const {
    return steps_.count;
  }

private:
  /// The first and the last events of a sequence.
  struct both_ends {
    std::uint64_t count = 0;
    std::vector<round_event> first;
    std::deque<round_event> last;

    /// @param most that are kept, an even number.
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
