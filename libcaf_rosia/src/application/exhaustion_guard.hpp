// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <new>
#include <string>

namespace caf::rosia::detail {

/// While it exists, the process ends with status 1 and a message if memory is
/// exhausted, or if a failure to start a thread is not handled. CAF handles
/// neither: it would leave its work half done, and other threads would wait for
/// that forever.
///
/// A single large allocation that fails does not end the process: it throws
/// `std::bad_alloc`, as usual. Neither does an exhaustion that the program
/// handles (`std::set_new_handler`).
///
/// At most one exists at a time.
class exhaustion_guard {
public:
  /// @param program the first word of the message.
  explicit exhaustion_guard(const std::string& program);

  exhaustion_guard(const exhaustion_guard&) = delete;

  exhaustion_guard& operator=(const exhaustion_guard&) = delete;

  ~exhaustion_guard();

private:
  std::new_handler without_memory_ = nullptr; // the previous handler
};

} // namespace caf::rosia::detail
