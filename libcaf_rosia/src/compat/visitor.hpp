// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/config.hpp>
#include <caf/deserializer.hpp>
#include <caf/error.hpp>
#include <caf/sec.hpp>
#include <caf/serializer.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#if CAF_MAJOR_VERSION >= 1
#  include <caf/span.hpp>
#endif

namespace caf::rosia::detail {

/// The result of a function of CAF's inspectors.
#if CAF_MAJOR_VERSION >= 1
using visited = bool;
#else
using visited = caf::error;
#endif

/// Returns the result of a function that had no error.
inline visited visited_well() {
#if CAF_MAJOR_VERSION >= 1
  return true;
#else
  return caf::none;
#endif
}

/// Returns whether a function had an error.
inline bool is_error(const visited& x) {
#if CAF_MAJOR_VERSION >= 1
  return !x;
#else
  return static_cast<bool>(x);
#endif
}

/// Returns the result of a function of `inspector` that had an error.
template <class Inspector, class... Texts>
visited visited_badly([[maybe_unused]] Inspector& inspector, caf::sec code,
                      Texts... texts) {
#if CAF_MAJOR_VERSION >= 1
  inspector.emplace_error(code, std::string{texts}...);
  return false;
#else
  return caf::make_error(code, std::string{texts}...);
#endif
}

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

#if CAF_MAJOR_VERSION >= 1
  using super::value;

  bool value(T x) override {
    return static_cast<Derived*>(this)->visit(x);
  }
#else
protected:
  using super::apply_impl;

  caf::error apply_impl(T x) override {
    return static_cast<Derived*>(this)->visit(x);
  }
#endif
};

#if CAF_MAJOR_VERSION >= 1

template <class Derived>
using write_visitor = visitor_of<
  caf::serializer, Derived, std::byte, bool, std::int8_t, std::uint8_t,
  std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t,
  std::uint64_t, float, double, long double, std::string_view,
  const std::u16string&, const std::u32string&, caf::span<const std::byte>>;

template <class Derived>
using read_visitor = visitor_of<
  caf::deserializer, Derived, std::byte&, bool&, std::int8_t&, std::uint8_t&,
  std::int16_t&, std::uint16_t&, std::int32_t&, std::uint32_t&, std::int64_t&,
  std::uint64_t&, float&, double&, long double&, std::string&, std::u16string&,
  std::u32string&, caf::span<std::byte>>;

#else

template <class Base, class Derived>
using visitor_of_all = visitor_of<
  Base, Derived, std::int8_t&, std::uint8_t&, std::int16_t&, std::uint16_t&,
  std::int32_t&, std::uint32_t&, std::int64_t&, std::uint64_t&, float&, double&,
  long double&, std::string&, std::u16string&, std::u32string&>;

template <class Derived>
using write_visitor = visitor_of_all<caf::serializer, Derived>;

template <class Derived>
using read_visitor = visitor_of_all<caf::deserializer, Derived>;

#endif

} // namespace caf::rosia::detail
