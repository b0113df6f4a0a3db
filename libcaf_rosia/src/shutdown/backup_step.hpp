// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "shutdown/report_builder.hpp"
#include "shutdown/run_record.hpp"
#include "shutdown/shutdown_phase.hpp"
#include "shutdown/timeline_builder.hpp"

#include <string>

namespace caf::rosia::detail {

/// The program's backup: the last step of a shutdown, which an abort does not
/// skip. The shutdown's lock protects it. Tests: test/shutdown/backup_test.cpp.
class backup_step {
public:
  /// The name of the step and of its action in reports.
  static constexpr const char* name = "backup";

  void begin();

  /// @param failure why it failed; empty if it did not.
  void end(const std::string& failure);

  /// Stops waiting for it. @returns false if it is not running, or was given
  /// up.
  bool give_up();

  bool is_given_up() const noexcept {
    return given_up_;
  }

  void add_to(report_builder& builder) const;

  void add_to(timeline_builder& builder) const;

private:
  bool is_running() const noexcept {
    return step_.began && !run_.is_over();
  }

  shutdown_phase step_{name};
  run_record run_;
  bool given_up_ = false;
};

} // namespace caf::rosia::detail
