// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/has_text.hpp"

#include <cstdint>
#include <string>

namespace caf::rosia {

/// What an application or a `shutdown` does about SIGINT and SIGTERM.
enum class signal_behavior : std::uint8_t {
  /// The first signal requests the end, the second aborts. SIGUSR1 asks for a
  /// report. Further signals do not kill a process that is about to exit: if a
  /// signal came, and the process has no handler of its own, they have no
  /// effect for five seconds after the end, and then the default effect again.
  handle,
  /// The process ignores both signals.
  ignore,
  /// The application leaves the process's handlers as they are.
  none,
};

/// Returns "handle", "ignore" or "none".
std::string to_string(signal_behavior x);

template <>
inline constexpr bool detail::has_text<signal_behavior> = true;

} // namespace caf::rosia
