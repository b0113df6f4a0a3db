// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

namespace caf::rosia::detail {

// The exit statuses of a program ([6.5]), and the one for wrong options.
constexpr int status_ok = 0;
constexpr int status_error = 1;
constexpr int status_usage = 2;
constexpr int status_second_signal = 128;
constexpr int status_deadline = 129;

} // namespace caf::rosia::detail
