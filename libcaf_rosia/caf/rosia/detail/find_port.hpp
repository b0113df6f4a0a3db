// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/fwd.hpp"
#include "caf/rosia/port.hpp"

#include <concepts>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

namespace caf::rosia::detail {

/// The members of a node that can be connected.
struct port_kind {
  template <class T>
  static constexpr bool has
    = std::derived_from<
        T, input_port_base> || std::derived_from<T, output_port_base>;
};

/// The members that can trigger reactions. Includes outputs, which are refused
/// later with a better message.
struct cause_kind {
  template <class T>
  static constexpr bool has
    = port_kind::has<T> || std::derived_from<T, action_base>;
};

template <class T, class Kind>
concept member = Kind::template has<std::remove_cvref_t<T>>;

/// Returns the address of the port (or other member) that `x` is or leads to:
/// `x` may be a pointer of any kind, a `std::optional` or a
/// `std::reference_wrapper`. Returns null if `x` is empty. Does not access the
/// port, which may not be constructed yet.
template <class Kind = port_kind, class T>
auto find_port(T& x) {
  if constexpr (member<T, Kind>)
    return std::addressof(x);
  else if constexpr (requires { requires member<decltype(x.get()), Kind>; })
    return std::addressof(x.get());
  else if constexpr (requires {
                       requires !std::is_array_v<T>;
                       static_cast<bool>(x);
                       requires member<decltype(*x), Kind>;
                     })
    return x ? std::addressof(*x) : nullptr;
}

template <class T, class Kind = port_kind>
using port_pointer = decltype(find_port<Kind>(std::declval<T&>()));

/// The class of the port that a `T` is or leads to.
template <class T, class Kind = port_kind>
using port_in
  = std::remove_const_t<std::remove_pointer_t<port_pointer<T, Kind>>>;

/// A port, or a type that leads to one.
template <class T, class Kind = port_kind>
concept keeps_port = !std::is_void_v<port_pointer<T, Kind>>;

template <class T>
using element_of
  = std::remove_reference_t<decltype(*std::begin(std::declval<T&>()))>;

/// A range of ports, or of types that lead to ports: an array, a vector, a
/// view.
template <class T, class Kind = port_kind>
concept keeps_ports = !keeps_port<T, Kind> && requires(T & x) {
  std::begin(x);
  std::end(x);
  requires keeps_port<element_of<T>, Kind>;
};

} // namespace caf::rosia::detail
