// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/has_text.hpp"
#include "caf/rosia/shutdown/shutdown_options.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace caf::rosia {

/// A participant, or another thing that the shutdown waits for or waited for.
struct part_report {
  enum class kind : std::uint8_t {
    actor,
    application,
    thread,
    guard,
    worker,
    action,
  };

  enum class state : std::uint8_t {
    running,  // its end was not requested
    draining, // it handles the messages from before the start of its phase
    waiting,  // for `waits_for` to end, or for the other actors of its phase
    ending,   // its end was requested
    aborted,  // it was aborted, and must end at once
    ended,
    failed,
  };

  std::string name;
  kind type = kind::actor;
  state now = state::running;
  std::string phase = {};

  /// The time in this state, up to the report.
  std::chrono::nanoseconds since{0};

  /// The participant that must end first.
  std::string waits_for = {};

  /// The participant that waits for this one to end.
  std::string parent = {};

  /// For an actor that drains: the number of its requests without a handled
  /// answer, as of the last time that it had handled all earlier messages.
  std::size_t unanswered = 0;

  /// Whether it is idle in `await`, and handles only the answer. Unknown for
  /// detached actors.
  bool awaits_answer = false;

  /// For an application: the node that delays it, and the reason.
  std::string blocker = {};

  /// The error, if it failed.
  std::string error = {};
};

std::string to_string(part_report::kind x);

template <>
inline constexpr bool detail::has_text<part_report::kind> = true;

std::string to_string(part_report::state x);

template <>
inline constexpr bool detail::has_text<part_report::state> = true;

/// Renders the report as one line of text.
std::string to_string(const part_report& x);

/// The state of a shutdown, and what it waits for.
struct shutdown_report {
  /// "running", a phase's name, "backup", "aborted" or "over".
  std::string stage;

  shutdown_reason reason = {};

  /// The time since the shutdown began; zero before.
  std::chrono::nanoseconds elapsed{0};

  /// All remaining participants, in the order of registration; then those that
  /// failed.
  std::vector<part_report> parts = {};

  /// The number of living actors of the system, participants or not; without
  /// hidden actors, such as most of CAF's own.
  std::size_t actors = 0;

  /// The actors among them that are not participants, as "name#id". Empty if
  /// the names are unknown, see `shutdown_options::names`.
  std::vector<std::string> others = {};

  /// The number of living actors that `shutdown_options::names` does not list,
  /// so that `adopt_all` does not adopt them. They are scoped actors, or were
  /// spawned by code that was not compiled for the list, such as the nodes of
  /// an application. A snapshot: actors that start or end at the same time may
  /// be missing. Zero without names.
  std::size_t unseen = 0;

  /// The number of messages that ended actors left unread.
  std::size_t dead_letters = 0;
};

/// Returns the shortest explanation of why a shutdown has not finished: the
/// phase, the participant that it waits for, the participant that this one
/// waits for, and so on, up to one that waits for no other, with its state.
/// Empty before and after the shutdown.
std::vector<std::string> explain(const shutdown_report& x);

/// Renders the report as text: the explanation, then the participants. Those
/// that block other participants are first.
std::string to_string(const shutdown_report& x);

std::string to_json(const shutdown_report& x);

/// An event of a shutdown.
struct timeline_entry {
  std::string name;

  /// "phase", or the kind of a participant.
  std::string kind;

  /// Its phase.
  std::string phase;

  /// The time at which its end was requested, or at which the phase began,
  /// since the beginning of the shutdown.
  std::chrono::nanoseconds begin{0};

  /// The time of its end; the current time if it has not ended.
  std::chrono::nanoseconds end{0};

  /// Whether it has ended.
  bool over = false;

  /// Whether it was aborted, failed, or took too long.
  bool aborted = false;

  /// The number of messages that it left unread.
  std::size_t unread = 0;

  /// For an actor that exited abnormally before its end was requested: CAF's
  /// reason. "unreachable" if the program kept no handle of it.
  std::string reason = {};
};

/// The events of a shutdown. Each phase is followed by the participants that
/// ended in it. Participants that ended before the shutdown are omitted, except
/// actors that failed, or that CAF destroyed because the program kept no handle
/// of them.
using shutdown_timeline = std::vector<timeline_entry>;

std::string to_json(const shutdown_timeline& xs);

/// Draws a bar for each entry. If there are more than `max_rows`, draws the
/// longest entries of each phase.
std::string to_svg(const shutdown_timeline& xs, std::size_t max_rows = 100);

} // namespace caf::rosia
