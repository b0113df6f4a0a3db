// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"

#include <optional>
#include <string_view>

namespace caf::rosia::detail {

/// Parses the result of `to_string` for a tag: "1.5s", "20ms+3", "never",
/// "forever". Accepts all units of `parse_timespan`.
std::optional<logical_time> parse_logical_time(std::string_view text);

} // namespace caf::rosia::detail
