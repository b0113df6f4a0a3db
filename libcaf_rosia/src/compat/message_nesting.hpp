// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>

// Nested messages: CAF reads them recursively, without a limit, and its stack
// overflows.

namespace caf::rosia::detail {

/// Maximum nesting of messages. CAF's stack has room for more.
constexpr std::size_t most_nested = 200;

} // namespace caf::rosia::detail
