// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_drill/words.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace rosia_drill {

/// A step of a program built on the library at which a fault can happen.
struct step_description {
  std::string_view name;
  std::string_view text;
};

const std::vector<step_description>& all_steps();

enum class injection_point_kind {
  /// When all processes are started.
  launch,
  /// When logical time starts; for a program without nodes, the same as
  /// `launch`.
  start,
  /// A physical time after the start.
  time,
  /// A step of the protocol.
  step,
  /// A logical time of a node.
  logical,
  /// A line that a process prints.
  log,
};

/// The time at which a fault happens.
struct injection_point {
  injection_point_kind kind = injection_point_kind::start;
  /// As written in the file.
  std::string text;
  /// The range from which the seed chooses: nanoseconds for `time` and
  /// `logical`; for `step`, the number of the occurrence, from 1.
  range where;
  std::string step;
  /// The node for `logical` and `step`; empty for any node.
  std::string node;
  /// Text in the line of a log.
  std::string words;

  /// Returns whether the injection point needs a program with nodes.
  bool needs_nodes() const {
    return kind == injection_point_kind::step
           || kind == injection_point_kind::logical;
  }
};

/// Parses an injection point: `launch`, `start`, `200ms`, `50ms..400ms`,
/// `STEP[:N[..M]][@NODE]`, `logical:TIME[..TIME]@NODE`, `log:TEXT`.
/// @throws mistake
injection_point parse_injection_point(const std::string& text);

} // namespace rosia_drill
