// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

namespace caf::rosia::detail {

/// The name in an actor system's registry of what is destroyed when CAF has
/// stopped.
constexpr auto* stop_key = "RosiaStop";

} // namespace caf::rosia::detail
