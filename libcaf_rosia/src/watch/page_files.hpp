// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string_view>

namespace caf::rosia::detail {

/// The files of the live page, which the build includes in the library.
std::string_view page_html();

std::string_view page_style();

std::string_view page_script();

} // namespace caf::rosia::detail
