// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/inspect.hpp"

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/deserializer.hpp>
#include <caf/detail/type_traits.hpp>
#include <caf/error.hpp>
#include <caf/inspector_access.hpp>
#include <caf/inspector_access_type.hpp>
#include <caf/message.hpp>
#include <caf/sec.hpp>
#include <caf/serializer.hpp>
#include <caf/type_id.hpp>

#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

// How CAF reads and writes values.

namespace caf::rosia::detail {

/// An enumeration that CAF 1 does not serialise by itself.
template <class T>
concept plain_enumeration
  = std::is_enum_v<T> && !std::same_as<
      T, std::byte> && !caf::detail::has_inspect_overload_v<caf::serializer, T>;

/// A type that refers to another object, or to none, rather than being a value.
template <class T>
concept pointer_like = std::is_pointer_v<T> || requires(T& x) {
  x.get();
  *x;
};

template <class T>
consteval bool can_serialize();

template <class T, std::size_t... Is>
consteval bool can_serialize_elements(std::index_sequence<Is...>) {
  return (can_serialize<std::tuple_element_t<Is, T>>() && ...);
}

/// Returns whether CAF can read and write `T`. CAF 1 itself checks the elements
/// of containers only when it writes them.
template <class T>
consteval bool can_serialize() {
  if constexpr (plain_enumeration<T>) {
    return true;
  } else if constexpr (pointer_like<T> || std::is_function_v<T>) {
    return false;
  } else if constexpr (std::is_array_v<T>) {
    return can_serialize<std::remove_extent_t<T>>();
  } else {
    using kinds = caf::inspector_access_type;
    using access = decltype(caf::inspect_access_type<caf::serializer, T>());
    if constexpr (std::same_as<
                    access, kinds::none> || std::same_as<access, kinds::unsafe>)
      return false;
    else if constexpr (std::same_as<access, kinds::tuple>)
      return can_serialize_elements<T>(
        std::make_index_sequence<std::tuple_size_v<T>>{});
    else if constexpr (std::same_as<access, kinds::map>)
      return can_serialize<typename T::key_type>()
             && can_serialize<typename T::mapped_type>();
    else if constexpr (std::same_as<access, kinds::list> || requires(T & x) {
                         x.has_value();
                         x.value();
                       })
      return can_serialize<typename T::value_type>();
    else
      return true;
  }
}

/// Whether CAF can read and write a type.
template <class T>
inline constexpr bool is_serializable = can_serialize<std::remove_cvref_t<T>>();

/// Whether CAF can send a type between actors, at least within a process.
template <class T>
inline constexpr bool is_sendable
  = (is_serializable<T> || caf::allowed_unsafe_message_type<T>::value)
    && caf::has_type_id_v<T>;

/// Returns the reason why an inspector refused a value.
template <class Inspector>
caf::error failure_of(Inspector& f, bool accepted) {
  if (accepted)
    return {};
  return f.get_error() ? f.get_error() : caf::error{caf::sec::runtime_error};
}

/// Writes a value in CAF's format.
/// @returns the error, if any.
template <class Sink, class T>
caf::error save_content(Sink& to, const T& x) {
  if constexpr (plain_enumeration<T>)
    return failure_of(to, to.apply(static_cast<std::underlying_type_t<T>>(x)));
  else
    return failure_of(to, to.apply(x));
}

/// Reads a value in CAF's format.
/// @returns the error, if any.
template <class Source, class T>
caf::error load_content(Source& from, T& x) {
  if constexpr (plain_enumeration<T>) {
    std::underlying_type_t<T> number{};
    auto result = failure_of(from, from.apply(number));
    x = static_cast<T>(number);
    return result;
  } else {
    return failure_of(from, from.apply(x));
  }
}

} // namespace caf::rosia::detail

// -- type IDs ----------------------------------------------------------------

// CAF 1 identifies the types of messages by numbers. These must be declared
// wherever a message of such a type is created or handled.

/// The first type ID of the library, far above those of programs, which start
/// at 200. The CMake option of the same name changes it, also for programs.
#ifndef CAF_ROSIA_FIRST_TYPE_ID
#  define CAF_ROSIA_FIRST_TYPE_ID 10000
#endif

namespace caf::rosia {

struct logical_time;

} // namespace caf::rosia

// The IDs that programs use; the library's internal messages follow.
CAF_BEGIN_TYPE_ID_BLOCK(caf_rosia_values, CAF_ROSIA_FIRST_TYPE_ID)
CAF_ADD_TYPE_ID(caf_rosia_values, (caf::rosia::logical_time),
                "rosia::logical_time")
CAF_END_TYPE_ID_BLOCK(caf_rosia_values)
