// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/system_stop.hpp"

#include <chrono>
#include <thread>

namespace caf::rosia::detail {

/// Ends the process if CAF does not stop in time after all actors have ended.
/// The middleman never stops if the program has closed its descriptors. Tests:
/// test/shutdown/remote_part_test.cpp.
class stop_limit : public stop_observer {
public:
  stop_limit(std::chrono::nanoseconds limit, int status)
    : limit_(limit), status_(status) {
    // nop
  }

  void begin() override;

private:
  std::chrono::nanoseconds limit_;
  int status_;
  std::jthread thread_;
};

} // namespace caf::rosia::detail
