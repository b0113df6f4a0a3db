// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_drill/outcome.hpp"

#include <chrono>
#include <cstddef>
#include <string>

namespace rosia_drill {

/// Shows the progress of the rounds on standard error: as a bar on a terminal,
/// otherwise line by line. Not thread-safe.
class progress {
public:
  /// @param drills number of drills.
  explicit progress(std::size_t drills);

  void begin(std::size_t rounds);

  void round_is_over(const std::string& drill, const outcome& x);

  void drill_is_over(const std::string& drill, std::size_t rounds,
                     std::size_t failed);

  void finish();

private:
  void draw();

  void erase();

  std::size_t drills_;
  std::size_t rounds_ = 0;
  std::size_t done_ = 0;
  std::size_t failed_ = 0;
  bool terminal_;
  std::chrono::steady_clock::time_point begin_;
};

/// Returns a number with its noun: "1 round", "2 rounds".
std::string counted(std::size_t n, const std::string& noun);

} // namespace rosia_drill
