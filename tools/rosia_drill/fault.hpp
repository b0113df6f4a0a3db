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

/// The target of a fault.
enum class fault_place {
  /// A process, which may be given by one of its nodes.
  process,
  /// A node's reactions.
  node,
  /// The connection of two processes.
  link,
};

/// The description of a kind of fault.
struct fault_description {
  fault_kind kind;
  std::string_view name;
  fault_place where;
  /// Required and permitted words, besides `target` or `link`, `when` and
  /// `optional`.
  std::vector<std::string_view> needed;
  std::vector<std::string_view> allowed;
  /// Whether the fault exists from the start, and has no `when`.
  bool from_the_beginning;
  std::string_view text;
};

const std::vector<fault_description>& all_faults();

const fault_description& describe(fault_kind x);

struct fault {
  fault_kind kind = fault_kind::kill;
  /// As written in the file.
  std::string text;
  /// A process or a node; empty for the coordinator, or for all in a storm.
  std::string target;
  /// Two processes.
  std::pair<std::string, std::string> link;
  injection_point when;
  /// Duration of the fault; empty if permanent.
  std::optional<std::chrono::nanoseconds> duration;
  /// Amount by which the target is delayed, slowed or shifted.
  std::chrono::nanoseconds by{0};
  /// Number of signals, and the pause between them.
  std::uint64_t times = 1;
  /// Parameters of a storm.
  struct storm storm;
  std::chrono::nanoseconds every{0};
  /// Bytes per second, and number of bytes.
  std::uint64_t rate = 0;
  std::uint64_t size = 0;
  /// The status of the request.
  std::uint64_t status = 0;
  /// Whether the log's disk is full as well.
  bool also_log = false;
  /// Whether the round may end before the fault happens.
  bool optional = false;

  /// Returns whether the fault needs a program with nodes.
  bool needs_nodes() const {
    auto place = describe(kind).where;
    return place == fault_place::node || place == fault_place::link
           || kind == fault_kind::garbage || kind == fault_kind::clock
           || when.needs_nodes();
  }
};

/// Parses a fault of the form `KIND WORD=VALUE...`.
/// @throws mistake
fault parse_fault(const std::string& text);

} // namespace rosia_drill
