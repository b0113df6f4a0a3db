// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The functions that CAF calls when it serialises messages, for tests that
// examine the bytes.

#pragma once

#include "caf/rosia/inspect.hpp"

#include <caf/message.hpp>
#include <caf/type_id.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace test {

/// The text about an unknown type.
inline const std::string unknown_type = "type id 60000";

inline std::uint16_t type_number(std::string_view type) {
  constexpr std::uint16_t unknown = 60'000;
  if (type == "i32")
    return caf::type_id_v<std::int32_t>;
  return type == "message" ? caf::type_id_v<caf::message> : unknown;
}

/// Implements an inspect() that writes nested messages and reads them into
/// `content`.
/// @param innermost the alleged types of the last message: "i32+message".
template <class Inspector>
bool inspect_nested(Inspector& f, int depth, std::string_view innermost,
                    caf::message& content) {
  if constexpr (Inspector::is_loading) {
    return f.apply(content);
  } else {
    for (auto i = 1; i < depth; ++i)
      if (!f.begin_sequence(1) || !f.value(caf::type_id_v<caf::message>))
        return false;
    std::vector<std::uint16_t> types;
    while (!innermost.empty()) {
      auto end = std::min(innermost.find('+'), innermost.size());
      types.push_back(type_number(innermost.substr(0, end)));
      innermost.remove_prefix(std::min(end + 1, innermost.size()));
    }
    auto result = f.begin_sequence(types.size());
    for (auto x : types)
      result = result && f.value(x);
    return result;
  }
}

/// Implements an inspect() that calls `on_save` after writing all members, and
/// `on_load` after reading them. Both return the reason for a refusal.
template <class Inspector, class T, class OnSave, class OnLoad,
          class... Members>
auto inspect_calling(Inspector& f, T& x, OnSave on_save, OnLoad on_load,
                     Members&... members) {
  return f.object(x).on_load(on_load).on_save(on_save).fields(
    caf::rosia::detail::member_field(f, "member", members)...);
}

} // namespace test
