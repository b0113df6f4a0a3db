// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/inspect.hpp"

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/deserializer.hpp>
#include <caf/detail/type_traits.hpp>
#include <caf/error.hpp>
#include <caf/message.hpp>
#include <caf/serializer.hpp>

#include <concepts>

// How CAF reads and writes values.

namespace caf::rosia::detail {

/// Whether CAF can read and write a type.
template <class T>
inline constexpr bool is_serializable = caf::detail::is_serializable<T>::value;

/// Whether CAF can send a type between actors, at least within a process.
template <class T>
inline constexpr bool is_sendable
  = is_serializable<T> || caf::allowed_unsafe_message_type<T>::value;

/// Writes a value in CAF's format.
/// @returns the error, if any.
template <class Sink, class T>
caf::error save_content(Sink& to, const T& x) {
  // CAF would ignore the error.
  if constexpr (std::same_as<T, caf::message>)
    return x.save(to);
  else
    return inspect_value(to, x);
}

/// Reads a value in CAF's format.
/// @returns the error, if any.
template <class Source, class T>
caf::error load_content(Source& from, T& x) {
  if constexpr (std::same_as<T, caf::message>)
    return x.load(from);
  else
    return inspect_value(from, x);
}

} // namespace caf::rosia::detail
