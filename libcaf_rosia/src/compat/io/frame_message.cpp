// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/io/frame_message.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <cstddef>

namespace caf::rosia::detail {

std::string quoted_types(std::string_view types) {
  constexpr std::size_t most = 60;
  std::string result{types.substr(0, most)};
  std::replace_if(
    result.begin(), result.end(), [](char c) { return !is_printable(c); }, '?');
  return '\'' + result + '\'';
}

} // namespace caf::rosia::detail
