// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <new>
#include <string>

namespace caf::rosia::detail {

/// While it lives, the process ends with status 1 and a message when there is
/// no memory left, or when nobody handles that there is no thread. CAF does not
/// expect either: what it had begun would be left half done, and somebody would
/// wait for it for ever.
///
/// A single large piece of memory that is not to be had is no reason: that is
/// `std::bad_alloc`, as ever. Neither is the process ended if the program
/// handles this itself (`std::set_new_handler`).
///
/// There must be one at a time.
class exhaustion_guard {
public:
  /// @param program begins the message.
  explicit exhaustion_guard(const std::string& program);

  exhaustion_guard(const exhaustion_guard&) = delete;

  exhaustion_guard& operator=(const exhaustion_guard&) = delete;

  ~exhaustion_guard();

private:
  std::new_handler without_memory_ = nullptr; // what was there before
};

} // namespace caf::rosia::detail
