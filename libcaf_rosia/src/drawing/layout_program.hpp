// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>

namespace caf::rosia::detail {

/// Converts DOT to SVG with the program `dot` of Graphviz, which is found by
/// PATH. Does not use a shell.
/// @throws std::runtime_error if there is no such program, or if it fails.
std::string run_layout_program(const std::string& dot);

} // namespace caf::rosia::detail
