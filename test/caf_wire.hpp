// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The format in which each version of CAF serialises messages for other
// processes, and the functions that it calls, for tests that examine the bytes.

#pragma once

#include "caf/rosia/inspect.hpp"

#include <caf/actor_system.hpp>
#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#include <caf/config.hpp>
#include <caf/message.hpp>

#if CAF_MAJOR_VERSION >= 1
#  include <caf/byte_buffer.hpp>
#else
#  include <caf/meta/load_callback.hpp>
#  include <caf/meta/save_callback.hpp>
#endif

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace test {

#if CAF_MAJOR_VERSION >= 1

inline std::vector<char> to_wire(
  caf::actor_system& system, const caf::message& x) {
  caf::byte_buffer bytes;
  caf::binary_serializer sink{system, bytes};
  if (!sink.apply(x))
    throw std::runtime_error("CAF does not write a message");
  std::vector<char> result;
  for (auto byte : bytes)
    result.push_back(static_cast<char>(byte));
  return result;
}

inline bool from_wire(caf::actor_system& system, const std::vector<char>& bytes,
                      caf::message& to) {
  caf::binary_deserializer source{system, bytes};
  return source.apply(to);
}

template <class Inspector, class T, class OnSave, class OnLoad,
          class... Members>
auto inspect_calling(Inspector& f, T& x, OnSave on_save, OnLoad on_load,
                     Members&... members) {
  return f.object(x).on_load(on_load).on_save(on_save).fields(
    caf::rosia::detail::member_field(f, "member", members)...);
}

/// The text about an unknown type.
inline const std::string unknown_type = "type id 60000";

inline std::uint16_t type_number(std::string_view type) {
  constexpr std::uint16_t unknown = 60'000;
  if (type == "i32")
    return caf::type_id_v<std::int32_t>;
  return type == "message" ? caf::type_id_v<caf::message> : unknown;
}

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

#else

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

/// Returns the serialised form of a message.
inline std::vector<char> to_wire(
  caf::actor_system& system, const caf::message& x) {
  std::vector<char> result;
  caf::binary_serializer sink{system, result};
  if (sink(x))
    throw std::runtime_error("CAF does not write a message");
  return result;
}

/// Reads a message. @returns whether the bytes are valid.
inline bool from_wire(caf::actor_system& system, const std::vector<char>& bytes,
                      caf::message& to) {
  caf::binary_deserializer source{system, bytes};
  return !source(to);
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

#endif

} // namespace test
