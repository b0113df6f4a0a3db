// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rosia_trace {

/// The rules that a trace must obey.
enum class rule : std::uint8_t {
  /// Not a rule of the semantics: the trace can be read.
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
  deadlines,
  modes,
  watchdogs,
  max_waits,
  one_write,
  nothing_lost,
  natural_end,
  agreement,
  cleanup,
  last_tag,
  termination,
};

inline constexpr std::size_t rule_count = 22;

/// The description of a rule.
struct rule_description {
  /// The name in the tool, for instance `no-late-message`.
  std::string_view name;
  /// The numbers of the rules of the semantics, for instance `[7.2]`.
  std::string_view source;
  /// The requirement.
  std::string_view text;
};

const rule_description& describe(rule x);

std::string_view to_string(rule x);

/// The number of checks of each rule.
using rule_tally = std::array<std::uint64_t, rule_count>;

/// The first line of a trace that breaks a rule.
struct violation {
  /// The rule; `rule::readable` if the trace cannot be read.
  rule broken = rule::readable;
  /// The number of the line, from 1; 0 for an empty trace.
  std::size_t line = 0;
  /// The nodes, ports and tags involved, and the expected value.
  std::string text;
};

/// Returns `file:line: rule source: text`; without the line if it is 0.
std::string to_string(const violation& x, std::string_view file);

} // namespace rosia_trace
