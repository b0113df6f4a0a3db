// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <exception>
#include <string>

namespace caf::rosia::detail {

/// Renders an exception. A program's own class may return null from `what()`.
/// The text of an error about a limit of the system says how to raise the
/// limit.
std::string exception_text(const std::exception& x);

/// Renders the current exception, of any type.
std::string current_exception_text();

} // namespace caf::rosia::detail
