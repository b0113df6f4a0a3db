// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/result.hpp>

namespace caf::rosia::detail {

/// The type of a message of a typed actor: its content and its answer.
template <class Result, class... Ts>
using signature = caf::result<Result>(Ts...);

} // namespace caf::rosia::detail
