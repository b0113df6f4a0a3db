// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "shutdown/report_builder.hpp"
#include "shutdown/run_record.hpp"
#include "shutdown/shutdown_phase.hpp"
#include "shutdown/timeline_builder.hpp"

#include <string>

namespace caf::rosia::detail {

/// The program's backup: the last step of a shutdown, which no abort skips. The
/// shutdown's lock protects it.
class backup_step {
public:
  /// What reports call the step, and what runs in it.
  static constexpr const char* name = "backup";

  void begin();

  /// @param failure why it has failed; empty if it has not.
  void end(const std::string& failure);

  /// Nobody waits for it any more. @returns false if nobody did.
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
