// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string_view>
#include <system_error>

namespace caf::rosia::detail {

/// Returns which limit of the system an error is about, and how to raise it:
/// text that follows the error's message. Empty for other errors.
std::string_view limit_advice(const std::error_code& error) noexcept;

/// Returns the same for an error of a file that is being written, for which
/// the disk or the program may be the reason, too.
std::string_view file_advice(const std::error_code& error) noexcept;

} // namespace caf::rosia::detail
