// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/deserializer.hpp>
#include <caf/error.hpp>
#include <caf/serializer.hpp>

#include <cstdint>
#include <string>

namespace caf::rosia::detail {

/// Implements the functions of CAF's inspector `Base`, one for each of the
/// types `Ts`, by the template `visit` of `Derived`.
template <class Base, class Derived, class... Ts>
class visitor_of : public Base {
public:
  using Base::Base;
};

template <class Base, class Derived, class T, class... Ts>
class visitor_of<Base, Derived, T, Ts...>
  : public visitor_of<Base, Derived, Ts...> {
  using super = visitor_of<Base, Derived, Ts...>;

public:
  using super::super;

protected:
  using super::apply_impl;

  caf::error apply_impl(T x) override {
    return static_cast<Derived*>(this)->visit(x);
  }
};

template <class Base, class Derived>
using visitor_of_all = visitor_of<
  Base, Derived, std::int8_t&, std::uint8_t&, std::int16_t&, std::uint16_t&,
  std::int32_t&, std::uint32_t&, std::int64_t&, std::uint64_t&, float&, double&,
  long double&, std::string&, std::u16string&, std::u32string&>;

/// Writes values by the template `visit` of `Derived`.
template <class Derived>
using write_visitor = visitor_of_all<caf::serializer, Derived>;

/// Reads values by the template `visit` of `Derived`.
template <class Derived>
using read_visitor = visitor_of_all<caf::deserializer, Derived>;

} // namespace caf::rosia::detail
