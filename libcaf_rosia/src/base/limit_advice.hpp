// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string_view>
#include <system_error>

namespace caf::rosia::detail {

/// Returns which limit of the system an error is about, and how to raise it:
/// text that follows the error's message. Empty for other errors.
std::string_view limit_advice(const std::error_code& error) noexcept;

/// Returns advice about an error of a file that is being written: about the
/// disk, the program, or a limit.
std::string_view file_advice(const std::error_code& error) noexcept;

} // namespace caf::rosia::detail
