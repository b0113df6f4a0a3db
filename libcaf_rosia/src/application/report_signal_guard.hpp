// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

namespace caf::rosia::detail {

/// While it lives, SIGUSR1 does not end the process: who asks for a report may
/// do so before there is something to report on, or after that. A handler of
/// the program is left alone, and those of applications replace this one while
/// they run.
class report_signal_guard {
public:
  report_signal_guard();

  report_signal_guard(const report_signal_guard&) = delete;

  report_signal_guard& operator=(const report_signal_guard&) = delete;

  ~report_signal_guard();

  /// Lets the signal have its default effect again.
  void release() noexcept;
};

} // namespace caf::rosia::detail
