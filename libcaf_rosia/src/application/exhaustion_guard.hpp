// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <new>
#include <string>

namespace caf::rosia::detail {

/// While it lives, the process ends with status 1 and a message if there is no
/// memory left, or if nobody handles that a thread could not be started. CAF
/// expects neither: it would leave its work half done, and others would wait
/// for that for ever.
///
/// A single large allocation that fails is no reason: it throws
/// `std::bad_alloc`, as always. Neither is the process ended if the program
/// handles this itself (`std::set_new_handler`).
///
/// At most one exists at a time.
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
