// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/port.hpp"

#include <concepts>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

namespace caf::rosia::detail {

template <class T>
concept port
  = std::derived_from<std::remove_cvref_t<T>, input_port_base> || std::
    derived_from<std::remove_cvref_t<T>, output_port_base>;

/// The port that `x` is, or that it leads to: a pointer of any kind, a
/// `std::optional`, a `std::reference_wrapper`. Null if it is empty. Does not
/// look into the port, which need not be there yet.
template <class T>
auto find_port(T& x) {
  if constexpr (port<T>)
    return std::addressof(x);
  else if constexpr (requires { requires port<decltype(x.get())>; })
    return std::addressof(x.get());
  else if constexpr (requires {
                       requires !std::is_array_v<T>;
                       static_cast<bool>(x);
                       requires port<decltype(*x)>;
                     })
    return x ? std::addressof(*x) : nullptr;
}

template <class T>
using port_pointer = decltype(find_port(std::declval<T&>()));

/// The class of a port, however it is kept.
template <class T>
using port_in = std::remove_const_t<std::remove_pointer_t<port_pointer<T>>>;

/// A port, or what leads to one.
template <class T>
concept keeps_port = !std::is_void_v<port_pointer<T>>;

template <class T>
using element_of
  = std::remove_reference_t<decltype(*std::begin(std::declval<T&>()))>;

/// Several ports: an array, a vector, a view, of ports or of what leads to one.
template <class T>
concept keeps_ports = !keeps_port<T> && requires(T & x) {
  std::begin(x);
  std::end(x);
  requires keeps_port<element_of<T>>;
};

} // namespace caf::rosia::detail
