// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Frames of CAF's protocol, made by hand in the format of CAF 0.17.

#pragma once

#include "compat/io/wire_parts.hpp"

#include <caf/atom.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace test::wire {

constexpr std::size_t node_size = 32;

/// Serialises the name of a process.
inline std::string node(char name) {
  return number(static_cast<std::uint64_t>(caf::atom("default")))
         + std::string(24, name);
}

inline std::string no_node() {
  return number(static_cast<std::uint64_t>(caf::atom("")));
}

/// Returns CAF's name of a type that tests use, or the type itself.
inline std::string type_name(std::string_view type) {
  static const std::map<std::string_view, std::string_view> names{
    {"actor", "@strong_actor_ptr"},
    {"error", "@error"},
    {"exit", "@exit"},
    {"down", "@down"},
    {"i32", "@i32"},
    {"link", "@atom"},
    {"message", "@message"},
    {"str", "@str"},
    {"u32", "@u32"},
    {"unit", "@unit"}};
  auto i = names.find(type);
  return std::string{i == names.end() ? type : i->second};
}

/// Serialises a message.
/// @param types separated by '+', such as "i32+str+some::type".
inline std::string message(
  std::string_view types, std::string_view content = "") {
  std::string list = "@<>";
  while (!types.empty()) {
    auto end = std::min(types.find('+'), types.size());
    list += '+' + type_name(types.substr(0, end));
    types.remove_prefix(std::min(end + 1, types.size()));
  }
  return number(std::uint16_t{0}) + text(list) + std::string{content};
}

/// Returns a message with its prefix in a frame.
inline std::string delivered(const std::string& x) {
  return '\0' + x;
}

} // namespace test::wire
