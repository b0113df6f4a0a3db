// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>

namespace caf::rosia::engine {

/// The number of a node in its application, in the order of creation.
using node_id = std::uint32_t;

} // namespace caf::rosia::engine
