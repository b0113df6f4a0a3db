// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string_view>

namespace rosia_trace {

/// Calls `f` with each complete line, until it returns false.
/// @return the text after the last line end; empty if `f` stopped.
template <class F>
std::string_view for_each_line(std::string_view text, F&& f) {
  for (;;) {
    auto end = text.find('\n');
    if (end == std::string_view::npos)
      return text;
    if (!f(text.substr(0, end)))
      return {};
    text.remove_prefix(end + 1);
  }
}

} // namespace rosia_trace
