// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

namespace caf::rosia::detail {

/// Thrown by `end_reaction`. Not a `std::exception`, so that a user's handler
/// for errors does not catch it.
struct reaction_ended {};

} // namespace caf::rosia::detail
