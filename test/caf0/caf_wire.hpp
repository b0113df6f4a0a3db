// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The functions that CAF calls when it serialises messages, for tests that
// examine the bytes.

#pragma once

#include <caf/error.hpp>
#include <caf/message.hpp>
#include <caf/meta/load_callback.hpp>
#include <caf/meta/save_callback.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace test {

/// The text about an unknown type.
inline const std::string unknown_type = "type 'secret'";

/// Implements an inspect() that writes nested messages and reads them into
/// `content`.
/// @param innermost the alleged types of the last message: "i32+message".
template <class Inspector>
caf::error inspect_nested(Inspector& f, int depth, std::string_view innermost,
                          caf::message& content) {
  if constexpr (Inspector::reads_state) {
    std::string last = "@<>";
    while (!innermost.empty()) {
      auto end = std::min(innermost.find('+'), innermost.size());
      auto type = innermost.substr(0, end);
      last += type == "i32" || type == "message" ? "+@" : "+";
      last += type;
      innermost.remove_prefix(std::min(end + 1, innermost.size()));
    }
    std::uint16_t none = 0;
    for (auto i = 1; i <= depth; ++i) {
      std::string types = i < depth ? "@<>+@message" : last;
      if (auto err = f.begin_object(none, types))
        return err;
    }
    return caf::none;
  } else {
    return f(content);
  }
}

/// Implements an inspect() that calls `on_save` after writing all members, and
/// `on_load` after reading them. Both return the reason for a refusal.
template <class Inspector, class T, class OnSave, class OnLoad,
          class... Members>
auto inspect_calling(Inspector& f, T&, OnSave on_save, OnLoad on_load,
                     Members&... members) {
  return f(members..., caf::meta::save_callback(on_save),
           caf::meta::load_callback(on_load));
}

} // namespace test
