// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_drill/words.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace rosia_drill {

/// What can be waited for in a program built on the library.
struct step_description {
  std::string_view name;
  /// Whether it is the coordinator's, which counts all nodes; else it is told
  /// by the process that has the node.
  bool of_coordinator;
  std::string_view text;
};

const std::vector<step_description>& all_steps();

enum class injection_point_kind {
  /// As soon as the processes have been started.
  launch,
  /// Logical time begins; of a program without nodes, the same as `launch`.
  start,
  /// Physical time since then.
  time,
  /// A step of the protocol.
  step,
  /// A node's logical time.
  logical,
  /// A process has printed a line.
  log,
};

/// When a fault happens.
struct injection_point {
  injection_point_kind kind = injection_point_kind::start;
  /// As it was written.
  std::string text;
  /// Nanoseconds of `time` and `logical`; which of the steps, from 1, of
  /// `step`. The seed decides.
  range where;
  std::string step;
  /// Of `logical`; of `step` empty for any.
  std::string node;
  /// In the line of a log.
  std::string words;

  /// Whether it takes a program with nodes.
  bool needs_nodes() const {
    return kind == injection_point_kind::step
           || kind == injection_point_kind::logical;
  }
};

/// `launch`, `start`, `200ms`, `50ms..400ms`, `STEP[:N[..M]][@NODE]`,
/// `logical:TIME[..TIME]@NODE`, `log:TEXT`.
/// @throws mistake
injection_point parse_injection_point(const std::string& text);

} // namespace rosia_drill
