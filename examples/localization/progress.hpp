// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <ostream>

#include "robot_log.hpp"

namespace localization {

/// Shows the progress of a replay: a moving bar on a terminal, otherwise a line
/// at each quarter.
class progress {
public:
  // -- construction -----------------------------------------------------------

  /// @param out must outlive this object.
  /// @param terminal whether a line can be overwritten.
  /// @param total the length of the log.
  progress(std::ostream& out, bool terminal, stamp total);

  /// Keeps the bar and starts a new line.
  ~progress();

  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  // -- progress ---------------------------------------------------------------

  /// Shows that the replay has reached `done` of the log's length.
  void update(stamp done);

private:
  void draw_bar(int percent, stamp done);

  std::ostream& out_;
  bool terminal_;
  stamp total_;
  int shown_ = 0; // percent
};

} // namespace localization
