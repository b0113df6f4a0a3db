// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <ostream>

#include "robot_log.hpp"

namespace localization {

/// Shows how far a replay is: on a terminal a bar that moves, elsewhere a line
/// at each quarter.
class progress {
public:
  // -- construction -----------------------------------------------------------

  /// @param out must outlive this object.
  /// @param terminal whether a line can be written over.
  /// @param total the length of the log.
  progress(std::ostream& out, bool terminal, stamp total);

  /// Leaves the bar as it is and goes on to the next line.
  ~progress();

  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  // -- progress ---------------------------------------------------------------

  /// Shows that the replay has come to `done` of the log's length.
  void update(stamp done);

private:
  void draw_bar(int percent, stamp done);

  std::ostream& out_;
  bool terminal_;
  stamp total_;
  int shown_ = 0; // percent
};

} // namespace localization
