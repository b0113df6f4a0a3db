// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string_view>

namespace rosia_trace {

/// The files of the page that `rosia-trace plot` writes, which the build puts
/// into the tool. The page has a marker for each of the others, and one for the
/// data.
std::string_view plot_html();

std::string_view plot_style();

std::string_view plot_script();

} // namespace rosia_trace
