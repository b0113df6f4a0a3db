// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Frames of CAF's protocol, made by hand in the format of CAF 1.

#pragma once

#include "compat/io/wire_parts.hpp"

#include <caf/detail/meta_object.hpp>
#include <caf/error.hpp>
#include <caf/message.hpp>
#include <caf/type_id.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace test::wire {

constexpr std::size_t node_size = 25;

/// Serialises the name of a process.
inline std::string node(char name) {
  return '\1' + std::string(24, name);
}

inline std::string no_node() {
  return "\xff";
}

/// Returns the number of a type that tests use, or of the type with this name.
inline std::uint16_t type_id(std::string_view type) {
  static const std::map<std::string_view, std::uint16_t> ids{
    {"actor", caf::type_id_v<caf::strong_actor_ptr>},
    {"error", caf::type_id_v<caf::error>},
    {"exit", caf::type_id_v<caf::exit_msg>},
    {"down", caf::type_id_v<caf::down_msg>},
    {"i32", caf::type_id_v<std::int32_t>},
    {"link", caf::type_id_v<caf::link_atom>},
    {"message", caf::type_id_v<caf::message>},
    {"str", caf::type_id_v<std::string>},
    {"u32", caf::type_id_v<std::uint32_t>},
    {"unit", caf::type_id_v<caf::unit_t>}};
  constexpr std::uint16_t unknown = 60'000;
  if (auto i = ids.find(type); i != ids.end())
    return i->second;
  auto all = caf::detail::global_meta_objects();
  for (std::uint16_t i = 0; i < all.size(); ++i)
    if (all[i].type_name == type)
      return i;
  return unknown;
}

/// Serialises a message.
/// @param types separated by '+', such as "i32+str+some::type".
inline std::string message(
  std::string_view types, std::string_view content = "") {
  std::string ids;
  std::size_t count = 0;
  while (!types.empty()) {
    auto end = std::min(types.find('+'), types.size());
    ids += number(type_id(types.substr(0, end)));
    ++count;
    types.remove_prefix(std::min(end + 1, types.size()));
  }
  return size(count) + ids + std::string{content};
}

/// Returns CAF's name of a type that tests use, or the type itself.
inline std::string type_name(std::string_view type) {
  return std::string{caf::query_type_name(type_id(type))};
}

/// Returns a message with its prefix in a frame.
inline std::string delivered(const std::string& x) {
  return x;
}

} // namespace test::wire
