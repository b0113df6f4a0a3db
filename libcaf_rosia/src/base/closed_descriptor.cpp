// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/closed_descriptor.hpp"

#include "base/exit_status.hpp"
#include "base/last_words.hpp"

namespace caf::rosia::detail {

void end_without_descriptor() noexcept {
  end_process(
    status_error,
    "the program closed descriptors that it had not opened: the process "
    "ends, because CAF and Rosia cannot work without theirs; close only what "
    "the program opened itself\n");
}

} // namespace caf::rosia::detail
