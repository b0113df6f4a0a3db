// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string_view>

namespace caf::rosia::detail {

/// Writes a text to an open file. Waits for room if the file is non-blocking,
/// and continues after a signal. Needs no memory.
/// @returns false if it cannot be written; `errno` has the reason.
bool write_all(int fd, std::string_view text) noexcept;

} // namespace caf::rosia::detail
