// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/fwd.hpp"

#include <functional>
#include <string_view>

namespace caf::rosia::detail {

/// The library's own way into an application.
struct application_access {
  /// Has `fun` called once, when `run()` is about to return; at once if it has.
  /// Never, if the application does not run.
  static void on_over(application& x, std::function<void()> fun);

  /// Hands the trace of `x` to `sink`, some complete lines at a time, instead
  /// of writing it to a file. `sink` is called from the threads that nodes run
  /// on, by one at a time. Before `run()`.
  static void trace(application& x, std::function<void(std::string_view)> sink);
};

} // namespace caf::rosia::detail
