// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <system_error>

namespace caf::rosia::detail {

/// Renders an error, with advice if threads or descriptors are exhausted.
std::string text_of(const std::system_error& x);

/// While it exists, the process ends with status 1 and a message if memory is
/// exhausted, or if a failure to start a thread is not handled. CAF handles
/// neither: it would leave its work half done, and other threads would wait for
/// that forever. A single large allocation that fails still throws
/// `std::bad_alloc`, and handlers of the program stay. At most one exists.
class exhaustion_guard {
public:
  /// @param program the first word of the message.
  explicit exhaustion_guard(const std::string& program);

  exhaustion_guard(const exhaustion_guard&) = delete;

  exhaustion_guard& operator=(const exhaustion_guard&) = delete;

  ~exhaustion_guard();

  /// The actor system has started. Before, any exception that is not handled
  /// ends the process like this.
  static void started() noexcept;
};

} // namespace caf::rosia::detail
