// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rosia_trace {

/// What a trace is held against.
enum class rule : std::uint8_t {
  /// Not a rule of the semantics: the trace can be read at all.
  readable,
  format,
  graph,
  tag_order,
  stat,
  no_late_message,
  arrival_tags,
  promises,
  inputs,
  actions,
  reactions,
  one_write,
  nothing_lost,
  natural_end,
  agreement,
  cleanup,
  termination,
};

inline constexpr std::size_t rule_count = 17;

/// A rule for people.
struct rule_description {
  /// How the tool names it, for instance `no-late-message`.
  std::string_view name;
  /// Where it stands, for instance `section 7, "No late message"`.
  std::string_view source;
  /// What it demands.
  std::string_view text;
};

const rule_description& describe(rule x);

std::string_view to_string(rule x);

/// How often each rule was applied.
using rule_tally = std::array<std::uint64_t, rule_count>;

/// The first line of a trace that breaks a rule.
struct violation {
  /// The rule; `rule::readable` if the trace cannot be read.
  rule broken = rule::readable;
  /// Its number, from 1; 0 for an empty trace.
  std::size_t line = 0;
  /// Nodes, ports and tags involved, and what was expected.
  std::string what;
};

/// `file:line: rule (source): what`; without the line if it is 0.
std::string to_string(const violation& x, std::string_view file);

} // namespace rosia_trace
