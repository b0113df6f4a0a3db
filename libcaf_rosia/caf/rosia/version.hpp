// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string_view>

namespace caf::rosia {

/// The library's version. The build reads it from here.
inline constexpr std::string_view version = "0.1.0";

} // namespace caf::rosia
