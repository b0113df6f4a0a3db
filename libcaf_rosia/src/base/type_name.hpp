// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <typeinfo>

namespace caf::rosia::detail {

/// Returns the human-readable name of a type.
std::string type_name(const std::type_info& type);

} // namespace caf::rosia::detail
