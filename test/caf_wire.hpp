// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// How each version of CAF writes messages for other processes, for tests that
// look at the bytes, and what it calls while it does so.

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

#include <stdexcept>
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

#else

/// A message's bytes.
inline std::vector<char> to_wire(
  caf::actor_system& system, const caf::message& x) {
  std::vector<char> result;
  caf::binary_serializer sink{system, result};
  if (sink(x))
    throw std::runtime_error("CAF does not write a message");
  return result;
}

/// Reads a message. @returns whether the bytes are one.
inline bool from_wire(caf::actor_system& system, const std::vector<char>& bytes,
                      caf::message& to) {
  caf::binary_deserializer source{system, bytes};
  return !source(to);
}

/// The body of an inspect() that calls a function when all members are written,
/// and another one when they are read; both return why this is refused.
template <class Inspector, class T, class OnSave, class OnLoad,
          class... Members>
auto inspect_calling(Inspector& f, T&, OnSave on_save, OnLoad on_load,
                     Members&... members) {
  return f(members..., caf::meta::save_callback(on_save),
           caf::meta::load_callback(on_load));
}

#endif

} // namespace test
