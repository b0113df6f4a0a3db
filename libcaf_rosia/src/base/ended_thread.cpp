// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/ended_thread.hpp"

#include <exception>

#include <unistd.h>

namespace caf::rosia::detail {

bool is_end_of_thread() noexcept {
  // It is no exception of C++.
  return std::current_exception() == nullptr;
}

void hold_end_of_thread() noexcept {
  if (is_end_of_thread())
    for (;;)
      ::pause();
}

} // namespace caf::rosia::detail
