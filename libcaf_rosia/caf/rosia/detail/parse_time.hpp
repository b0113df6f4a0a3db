// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace caf::rosia::detail {

/// Reads a duration such as "10ms", "1.5s", "-2min" or "1h"; the units are ns,
/// us, ms, s, min and h. Nothing is rounded: "1.5ns" is no duration, nor is one
/// that does not fit.
std::optional<std::chrono::nanoseconds> parse_timespan(std::string_view text);

/// Reads what `to_string` makes of a tag: "1.5s", "20ms+3", "never", "forever".
/// All units of `parse_timespan` are understood.
std::optional<logical_time> parse_logical_time(std::string_view text);

/// Renders a duration as `to_string` renders a tag: "1.5s", "20ms".
std::string time_text(std::chrono::nanoseconds x);

} // namespace caf::rosia::detail
