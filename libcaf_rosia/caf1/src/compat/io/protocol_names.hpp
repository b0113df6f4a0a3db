// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <string_view>

// Names and sizes in CAF's protocol.

namespace caf::rosia::detail {

/// The name of the broker for the protocol.
constexpr auto broker_name = "BASP";

/// Size of the name of a process.
constexpr std::size_t node_name_size = 25;

/// CAF's name of `std::uint32_t`.
constexpr std::string_view number_type = "uint32_t";

/// CAF's name of `caf::error`.
constexpr std::string_view error_type = "caf::error";

} // namespace caf::rosia::detail
