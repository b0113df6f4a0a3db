// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_trace/logical_time.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rosia_trace {

/// The events of trace format 3.
enum class event_kind : std::uint8_t {
  application,
  node,
  connection,
  start,
  execute,
  resume,
  input,
  schedule,
  action,
  reaction,
  ran,
  send,
  promise,
  drop,
  request,
  asked,
  answer,
  final,
  final_taken,
  error,
  aborted,
  shutdown,
  exit,
  group,
  end,
  resumed,
  restored,
  in_transit,
  pending,
  missed,
  withdraw,
  watchdog,
  expire,
  running,
  tardy,
  done,
  mode,
  visited,
  suspended,
  go_on,
};

std::string_view to_string(event_kind kind);

/// The members that an event may have. `text` and `ending` are "what" and
/// "how" in a trace.
enum class member : std::uint8_t {
  event,
  format,
  version,
  realtime,
  stop_after,
  node,
  inputs,
  outputs,
  reactions,
  from,
  to,
  delay,
  physical,
  elapsed,
  tag,
  stat,
  reaction,
  port,
  digest,
  arrival,
  reason,
  proposal,
  status,
  text,
  ending,
  process,
  started,
  group,
  actions,
  action,
  due,
  began,
  ended,
  checkpoints,
  left,
  deadline,
  replay,
  expiry,
  wait,
  last,
  history,
  active,
  before,
};

std::string_view to_string(member m);

/// A set of members.
class member_set {
public:
  constexpr member_set() = default;

  constexpr member_set(std::initializer_list<member> members) {
    for (auto m : members)
      insert(m);
  }

  constexpr void insert(member m) {
    bits_ |= std::uint64_t{1} << static_cast<unsigned>(m);
  }

  constexpr bool contains(member m) const {
    return (bits_ >> static_cast<unsigned>(m)) & 1u;
  }

  constexpr bool empty() const {
    return bits_ == 0;
  }

  constexpr member_set operator|(member_set other) const {
    other.bits_ |= bits_;
    return other;
  }

  constexpr member_set without(member_set other) const {
    other.bits_ = bits_ & ~other.bits_;
    return other;
  }

  /// Returns the first member, in the order of the enumeration. @pre
  /// `!empty()`.
  constexpr member front() const {
    auto result = 0u;
    while (((bits_ >> result) & 1u) == 0)
      ++result;
    return static_cast<member>(result);
  }

private:
  std::uint64_t bits_ = 0;
};

/// Some names in a `node` event: a range of `event::names`.
struct name_range {
  std::size_t first = 0;
  std::size_t last = 0;
};

/// An input, output, action or reaction in a `node` event. A member that was
/// omitted has its default. Like `event`, it has one member per key.
struct declaration {
  static constexpr std::int64_t none = -1;

  std::string_view name;
  /// The type of the values; not of a reaction.
  std::string_view type;
  /// The mode that an action or a reaction belongs to.
  std::string_view mode;
  /// The spacing of an action or a physical action, and its policy.
  std::int64_t spacing = none;
  std::string_view policy;

  // -- inputs -----------------------------------------------------------------

  /// Whether it is a physical action.
  bool physical = false;
  /// The least distance of a physical action's tags from physical time.
  std::int64_t after = 0;

  // -- actions ----------------------------------------------------------------

  /// Whether it is a tick, which has the next two members.
  bool ticks = false;
  std::int64_t offset = 0;
  std::int64_t period = 0;
  /// The timeout of a watchdog in nanoseconds.
  std::int64_t timeout = none;
  bool is_mode = false;

  // -- reactions --------------------------------------------------------------

  bool eager = false;
  /// Whether it runs once, after `start()`.
  bool is_startup = false;
  /// Whether the last tag triggers it.
  bool at_shutdown = false;
  /// The inputs and the actions that trigger it.
  name_range triggers;
  name_range actions;
  /// Whether it declares its ports, in the next three members.
  bool declares = false;
  name_range reads;
  name_range writes;
  name_range writes_later;
  /// Its deadline in nanoseconds, or the state that has it.
  std::int64_t deadline = none;
  std::string_view deadline_state;
};

/// One line of a trace. A member that the kind does not have keeps an
/// unspecified value. A null member reads as empty, or as 0. There is one
/// member per key, because one object is reused for millions of lines; a
/// variant of kinds would allocate. The keys of `text` and `ending` are "what"
/// and "how".
struct event {
  event_kind kind = event_kind::end;
  member_set present;
  member_set nulls;

  std::string_view version;
  std::string_view node;
  std::string_view from;
  std::string_view to;
  std::string_view reaction;
  std::string_view port;
  std::string_view reason;
  std::string_view text;
  std::string_view ending;
  /// The first node of the group that executes the node.
  std::string_view group;
  std::string_view action;
  /// The reaction that runs next.
  std::string_view before;
  /// The process in which the line was written, if there are several.
  std::string_view process;
  logical_time stop_after;
  logical_time tag;
  logical_time stat;
  logical_time arrival;
  logical_time due;
  logical_time proposal;
  time_delay delay;
  std::int64_t format = 0;
  std::int64_t elapsed = 0;
  std::int64_t began = 0;
  std::int64_t ended = 0;
  std::int64_t deadline = 0;
  std::int64_t expiry = 0;
  std::int64_t wait = 0;
  std::int64_t status = 0;
  std::uint64_t digest = 0;
  bool realtime = false;
  bool physical = false;
  bool started = false;
  bool checkpoints = false;
  bool left = false;
  bool replay = false;
  bool last = false;
  bool history = false;
  bool active = false;
  std::vector<declaration> inputs;
  std::vector<declaration> outputs;
  std::vector<declaration> reactions;
  std::vector<declaration> actions;
  std::vector<std::string_view> names;

  std::span<const std::string_view> names_of(name_range x) const {
    return std::span{names}.subspan(x.first, x.last - x.first);
  }

  bool has(member m) const {
    return present.contains(m) && !nulls.contains(m);
  }

  /// Returns whether a node executes the last tag.
  bool is_last() const {
    return has(member::last) && last;
  }
};

/// The result of parsing a line.
enum class parse_result : std::uint8_t {
  /// An event, see `line_parser::get`.
  event,
  /// Not a JSON object.
  not_json,
  /// JSON, but not an event of trace format 3.
  not_an_event,
};

/// Parses lines one by one, without an allocation for each.
class line_parser {
public:
  line_parser();
  ~line_parser();
  line_parser(line_parser&&) noexcept;
  line_parser& operator=(line_parser&&) noexcept;

  /// @param line one line, without its end; need not outlive the call.
  parse_result parse(std::string_view line);

  /// Returns the event of the last line. Its texts are valid until the next
  /// call of `parse`.
  const event& get() const;

  /// Explains why the last line is not an event.
  std::string problem() const;

private:
  class impl;
  std::unique_ptr<impl> impl_;
};

/// Returns a name from a trace in double quotes. Control characters are
/// escaped, so that a hostile trace cannot control a terminal.
std::string quoted(std::string_view name);

} // namespace rosia_trace
