// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/has_text.hpp"

#include <cstdint>
#include <string>

namespace caf::rosia {

/// How an application or a `shutdown` handles SIGINT and SIGTERM.
enum class signal_behavior : std::uint8_t {
  /// The first signal requests the end, the second aborts. SIGUSR1 requests a
  /// report. Further signals do not kill a process that is about to exit: if a
  /// signal arrived, and the process has no other handler, signals have no
  /// effect for five seconds after the end, and then the default effect.
  handle,
  /// The process ignores both signals.
  ignore,
  /// The application does not change the process's handlers.
  none,
};

/// Returns "handle", "ignore" or "none".
std::string to_string(signal_behavior x);

template <>
inline constexpr bool detail::has_text<signal_behavior> = true;

} // namespace caf::rosia
