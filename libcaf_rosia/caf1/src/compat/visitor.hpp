// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/deserializer.hpp>
#include <caf/serializer.hpp>
#include <caf/span.hpp>
#include <caf/type_id.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

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
  using super::value;

  bool value(T x) override {
    return static_cast<Derived*>(this)->visit(x);
  }
};

/// Writes values by the template `visit` of `Derived`. Objects, tuples and
/// fields consist of their members only; optional fields begin with a flag, and
/// fields of several types with the index of their type. Tests:
/// test/compat/bytes_test.cpp, test/nodes/value_text_test.cpp.
template <class Derived>
class write_visitor
  : public visitor_of<caf::serializer, Derived, std::byte, bool, std::int8_t,
                      std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                      std::uint32_t, std::int64_t, std::uint64_t, float, double,
                      long double, std::string_view, const std::u16string&,
                      const std::u32string&, caf::span<const std::byte>> {
public:
  bool begin_object(caf::type_id_t, std::string_view) override {
    return true;
  }

  bool end_object() final {
    return true;
  }

  bool begin_field(std::string_view) final {
    return true;
  }

  bool begin_field(std::string_view, bool is_present) final {
    return write(is_present);
  }

  bool begin_field(std::string_view, caf::span<const caf::type_id_t>,
                   std::size_t index) final {
    return write(static_cast<std::uint32_t>(index));
  }

  bool begin_field(
    std::string_view name, bool is_present,
    caf::span<const caf::type_id_t> types, std::size_t index) final {
    return write(is_present)
           && (!is_present || begin_field(name, types, index));
  }

  bool end_field() final {
    return true;
  }

  bool begin_tuple(std::size_t) override {
    return true;
  }

  bool end_tuple() final {
    return true;
  }

private:
  template <class T>
  bool write(const T& x) {
    return static_cast<Derived*>(this)->visit(x);
  }
};

/// Reads values by the template `visit` of `Derived`.
template <class Derived>
using read_visitor = visitor_of<
  caf::deserializer, Derived, std::byte&, bool&, std::int8_t&, std::uint8_t&,
  std::int16_t&, std::uint16_t&, std::int32_t&, std::uint32_t&, std::int64_t&,
  std::uint64_t&, float&, double&, long double&, std::string&, std::u16string&,
  std::u32string&, caf::span<std::byte>>;

} // namespace caf::rosia::detail
