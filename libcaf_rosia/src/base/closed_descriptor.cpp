// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/closed_descriptor.hpp"

#include "base/exit_status.hpp"
#include "base/last_words.hpp"
#include "base/write_all.hpp"

#include <cstdlib>

#include <unistd.h>

namespace caf::rosia::detail {

void end_without_descriptor() noexcept {
  limit_last_words(status_error);
  write_all(
    STDERR_FILENO,
    "the program has closed descriptors that it had not opened: the process "
    "ends, because CAF and Rosia cannot work without theirs; close only what "
    "the program has opened itself\n");
  std::_Exit(status_error);
}

} // namespace caf::rosia::detail
