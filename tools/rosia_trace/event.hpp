// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_trace/logical_time.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rosia_trace {

/// The events of the trace formats 1 and 2: `ran` is new in 2, and so are those
/// of a run that continues from a checkpoint.
enum class event_kind : std::uint8_t {
  application,
  node,
  connection,
  start,
  execute,
  resume,
  input,
  trigger,
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
  forced,
  shutdown,
  exit,
  group,
  end,
  resumed,
  restored,
  in_transit,
  pending,
};

std::string_view to_string(event_kind kind);

/// The members that an event may have.
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
  what,
  how,
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

  /// The first member, in the order of the enumeration. @pre `!empty()`.
  constexpr member front() const {
    auto result = 0u;
    while (((bits_ >> result) & 1u) == 0)
      ++result;
    return static_cast<member>(result);
  }

private:
  std::uint64_t bits_ = 0;
};

/// An input or output port in a `node` event.
struct port_declaration {
  std::string_view name;
  std::string_view type;
  /// Whether values may be injected; inputs only.
  bool physical = false;
};

/// An action in a `node` event.
struct action_declaration {
  std::string_view name;
  std::string_view type;
};

/// A reaction in a `node` event.
struct reaction_declaration {
  std::string_view name;
  /// The range of its triggers in `event::triggers`.
  std::size_t first_trigger = 0;
  std::size_t last_trigger = 0;
  bool eager = false;
  /// Whether it is a trigger, that is called from outside.
  bool is_trigger = false;
  /// Whether it runs once, after `start()`; left out if not.
  bool is_startup = false;
  /// The range of the actions that trigger it in `event::acts`; left out if
  /// there are none.
  std::size_t first_act = 0;
  std::size_t last_act = 0;
};

/// One line of a trace. A member that its kind does not have keeps an
/// unspecified value; a member that is null reads as empty, or as 0. It has as
/// many members as lines have keys: one object is reused for millions of lines,
/// where a variant of kinds would allocate anew.
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
  std::string_view what;
  std::string_view how;
  /// The first of the nodes that it is executed with.
  std::string_view group;
  std::string_view action;
  /// One of the several processes of the application.
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
  std::int64_t status = 0;
  std::uint64_t digest = 0;
  bool realtime = false;
  bool physical = false;
  bool started = false;
  bool checkpoints = false;
  bool left = false;
  std::vector<port_declaration> inputs;
  std::vector<port_declaration> outputs;
  std::vector<reaction_declaration> reactions;
  std::vector<std::string_view> triggers;
  std::vector<action_declaration> actions;
  std::vector<std::string_view> acts;

  bool has(member m) const {
    return present.contains(m) && !nulls.contains(m);
  }
};

/// What became of a line.
enum class parse_result : std::uint8_t {
  /// `line_parser::get` has it.
  event,
  /// It is not one JSON object.
  not_json,
  /// It is JSON, but no event of trace format 2.
  not_an_event,
};

/// Reads lines one by one, without allocating for each.
class line_parser {
public:
  line_parser();
  ~line_parser();
  line_parser(line_parser&&) noexcept;
  line_parser& operator=(line_parser&&) noexcept;

  /// @param line one line, without its end; need not outlive the call.
  parse_result parse(std::string_view line);

  /// The line that was parsed last. Its texts live until the next is parsed.
  const event& get() const;

  /// Why the last line is not an event, for people.
  std::string problem() const;

private:
  class impl;
  std::unique_ptr<impl> impl_;
};

/// A name from a trace in double quotes. Control characters are escaped, so
/// that a hostile trace cannot drive a terminal.
std::string quoted(std::string_view name);

} // namespace rosia_trace
