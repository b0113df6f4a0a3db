// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string_view>

namespace rosia_trace {

/// The files of the page that `rosia-trace plot` writes, compiled into the
/// tool. The page has markers for the other files and for the data.
std::string_view plot_html();

std::string_view plot_style();

std::string_view plot_script();

} // namespace rosia_trace
