// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_drill/injection_point.hpp"
#include "rosia_drill/storm.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rosia_drill {

enum class fault_kind {
  interrupt,
  terminate,
  report,
  checkpoint,
  kill,
  stop,
  storm,
  fail,
  hang,
  slow,
  request,
  cut,
  hold,
  delay,
  throttle,
  garbage,
  full,
  clock,
  late,
  never,
};

/// What a fault happens to.
enum class fault_place {
  /// A process, which may be named by one of its nodes.
  process,
  /// A node's reactions.
  node,
  /// The connection of two processes.
  link,
};

/// What there is to know of a kind of fault.
struct fault_description {
  fault_kind kind;
  std::string_view name;
  fault_place where;
  /// The words that it needs, and those that it may have, but for `target` or
  /// `link`, `when` and `optional`.
  std::vector<std::string_view> needed;
  std::vector<std::string_view> allowed;
  /// Whether it is there from the beginning, and takes no `when`.
  bool from_the_beginning;
  std::string_view text;
};

const std::vector<fault_description>& all_faults();

const fault_description& describe(fault_kind x);

struct fault {
  fault_kind kind = fault_kind::kill;
  /// As it was written.
  std::string text;
  /// A process or a node; empty for the coordinator, and of a storm for all.
  std::string target;
  /// Two processes.
  std::pair<std::string, std::string> link;
  injection_point when;
  /// How long it lasts; none for ever.
  std::optional<std::chrono::nanoseconds> duration;
  /// How much later, slower or ahead.
  std::chrono::nanoseconds by{0};
  /// How often a signal comes, and with which pause.
  std::uint64_t times = 1;
  /// What a storm draws from.
  struct storm storm;
  std::chrono::nanoseconds every{0};
  /// Bytes a second; how many bytes.
  std::uint64_t rate = 0;
  std::uint64_t size = 0;
  /// What the request asks for.
  std::uint64_t status = 0;
  /// Whether the log is full, too.
  bool also_log = false;
  /// Whether the round may be over before it happens.
  bool optional = false;

  /// Whether it takes a program with nodes.
  bool needs_nodes() const {
    auto place = describe(kind).where;
    return place == fault_place::node || place == fault_place::link
           || kind == fault_kind::garbage || kind == fault_kind::clock
           || when.needs_nodes();
  }
};

/// `KIND WORD=VALUE...`
/// @throws mistake
fault parse_fault(const std::string& text);

} // namespace rosia_drill
