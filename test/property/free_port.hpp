// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>

namespace property {

/// A port of the loopback device that nobody uses at the moment.
std::uint16_t free_port();

} // namespace property
