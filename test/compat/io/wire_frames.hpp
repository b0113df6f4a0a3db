// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Frames of CAF's protocol, made by hand in the format of each version of CAF.

#pragma once

#include "catch.hpp"

#include <caf/actor_system.hpp>
#include <caf/binary_serializer.hpp>
#include <caf/config.hpp>

#if CAF_MAJOR_VERSION >= 1
#  include <caf/byte_buffer.hpp>
#  include <caf/detail/meta_object.hpp>
#  include <caf/error.hpp>
#  include <caf/message.hpp>
#  include <caf/type_id.hpp>
#else
#  include <caf/atom.hpp>

#  include <vector>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace test::wire {

// Operations
constexpr std::uint8_t answer = 0;
constexpr std::uint8_t handshake = 1;
constexpr std::uint8_t direct = 2;
constexpr std::uint8_t routed = 3;
constexpr std::uint8_t monitor = 4;
constexpr std::uint8_t down = 5;
constexpr std::uint8_t heartbeat = 6;

// Kinds of messages
constexpr std::uint64_t async = 1ull << 60;
constexpr std::uint64_t response = 1ull << 63 | async | 5;

template <class T>
std::string number(T x) {
  std::string result;
  for (auto i = sizeof(T); i-- > 0;)
    result += static_cast<char>(x >> (8 * i));
  return result;
}

/// Serialises the size of a list.
inline std::string size(std::size_t n) {
  std::string result;
  for (; n > 0x7f; n >>= 7)
    result += static_cast<char>(n | 0x80);
  return result + static_cast<char>(n);
}

inline std::string text(std::string_view x) {
  return size(x.size()) + std::string{x};
}

/// The operation, and the content after the header.
struct frame {
  std::uint8_t what;
  std::string payload;
  std::uint64_t data = 0;
  std::uint64_t source = 0;
  std::uint64_t target = 0;
  std::uint8_t flags = 0;

  std::string header(std::uint32_t payload_size) const {
    return number(what) + std::string(2, '\0') + number(flags)
           + number(payload_size) + number(data) + number(source)
           + number(target);
  }
};

#if CAF_MAJOR_VERSION >= 1

constexpr std::size_t node_size = 25;

inline std::string node(char name) {
  return '\1' + std::string(24, name);
}

inline std::string no_node() {
  return "\xff";
}

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

inline std::string type_name(std::string_view type) {
  return std::string{caf::query_type_name(type_id(type))};
}

inline std::string delivered(const std::string& x) {
  return x;
}

template <class T>
std::string written(caf::actor_system& sys, const T& x) {
  caf::byte_buffer bytes;
  caf::binary_serializer sink{sys, bytes};
  REQUIRE(sink.apply(x));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

#else

/// Serialises the name of a process.
constexpr std::size_t node_size = 32;

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

/// Returns CAF's serialised form of a value.
template <class T>
std::string written(caf::actor_system& sys, const T& x) {
  std::vector<char> bytes;
  caf::binary_serializer sink{sys, bytes};
  REQUIRE_FALSE(sink(x));
  return {bytes.begin(), bytes.end()};
}

#endif

/// Serialises the handle of an actor.
inline std::string actor(std::uint64_t id, const std::string& node) {
  return number(id) + node;
}

} // namespace test::wire
