// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/detail/type_traits.hpp>

// What headers need of CAF that its versions have under different names. The
// rest is in the library's folder compat/.

namespace caf::rosia::detail {

/// Tells whether CAF can read and write a type.
template <class T>
inline constexpr bool is_serializable = caf::detail::is_serializable<T>::value;

/// Tells whether CAF can send a type between actors, at least within a process.
template <class T>
inline constexpr bool is_sendable
  = is_serializable<T> || caf::allowed_unsafe_message_type<T>::value;

} // namespace caf::rosia::detail
