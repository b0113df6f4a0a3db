// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>

namespace caf::rosia::detail {

/// Opens /dev/null for each of the descriptors 0, 1 and 2 that the process
/// inherited closed. Otherwise the next file, pipe or socket would get such a
/// number, and the program's output would be written there. Call this before
/// anything else is opened.
void open_standard_streams() noexcept;

/// Returns whether a regular file is the standard output or the standard error
/// of this process, as after `PROGRAM > file`.
bool is_standard_stream(const std::string& file) noexcept;

} // namespace caf::rosia::detail
