// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/value_structure.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace caf::rosia::detail {

/// Passes a value, in the order of CAF's serialisation, to `Derived`. It has
/// the functions `begin()` and `end()` for a sequence, `integer(std::int64_t)`,
/// `natural(std::uint64_t)`, `real(x)` for a `double` or a `long double`,
/// `text(std::string_view)`, `raw(std::string_view)` for bytes, and
/// `code_units(xs)` for text with more than a byte a unit.
///
/// CAF 0.17 passes a vector of bytes as a whole. CAF 1 does not, and hides the
/// kind of the container, so all sequences of one-byte numbers are treated as
/// bytes. Tests: test/nodes/value_text_test.cpp.
template <class Derived>
class value_sink : public value_structure<Derived> {
public:
  /// Called by `value_structure`.
  template <class T>
  void add(const T& x) {
    if constexpr (std::is_same_v<T, std::uint64_t>) {
      derived().natural(x);
    } else if constexpr (std::is_integral_v<
                           T> || std::is_same_v<T, std::byte>) {
      if (!this->collect(x))
        derived().integer(static_cast<std::int64_t>(x));
    } else if constexpr (std::is_same_v<T, float>) {
      derived().real(double{x});
    } else if constexpr (std::is_floating_point_v<T>) {
      derived().real(x);
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      derived().text(x);
    } else if constexpr (requires { typename T::traits_type; }) {
      derived().code_units(x);
    } else {
      derived().raw({reinterpret_cast<const char*>(x.data()), x.size()});
    }
  }

private:
  Derived& derived() noexcept {
    return static_cast<Derived&>(*this);
  }
};

} // namespace caf::rosia::detail
