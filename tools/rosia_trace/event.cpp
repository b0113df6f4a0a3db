// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_trace/event.hpp"

#include "rosia_trace/event_names.hpp"

namespace rosia_trace {

std::string_view to_string(event_kind kind) {
  return kind_names[static_cast<std::size_t>(kind)];
}

std::string_view to_string(member m) {
  return member_names[static_cast<std::size_t>(m)];
}

std::string quoted(std::string_view name) {
  constexpr std::string_view hex = "0123456789abcdef";
  std::string result = "\"";
  for (auto c : name) {
    auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      result += "\\x";
      result += hex[byte >> 4];
      result += hex[byte & 15];
    } else {
      if (c == '"' || c == '\\')
        result += '\\';
      result += c;
    }
  }
  return result += '"';
}

} // namespace rosia_trace
