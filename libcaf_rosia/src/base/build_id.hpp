// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>

namespace caf::rosia::detail {

/// Returns the mark that the linker gave to this build of the program, in
/// hexadecimal digits. Empty if it gave none.
std::string build_id();

} // namespace caf::rosia::detail
