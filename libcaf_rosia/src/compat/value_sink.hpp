// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/inspect_flags.hpp"
#include "compat/visitor.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#if CAF_MAJOR_VERSION >= 1
#  include <caf/type_id.hpp>

#  include <utility>
#endif

namespace caf::rosia::detail {

/// Passes a value, in the order of CAF's serialisation, to `Derived`. It has
/// the functions `begin()` and `end()` for a sequence, `integer(std::int64_t)`,
/// `natural(std::uint64_t)`, `real(x)` for a `double` or a `long double`,
/// `text(std::string_view)`, `raw(std::string_view)` for bytes, and
/// `code_units(xs)` for text with more than a byte a unit.
///
/// CAF 0.17 passes a vector of bytes as a whole. CAF 1 does not, and hides the
/// kind of the container, so all sequences of one-byte numbers are treated as
/// bytes.
template <class Derived>
class value_sink
  : public write_visitor<value_sink<Derived>>,
    public unpacked_flags {
public:
#if CAF_MAJOR_VERSION >= 1
  bool begin_object(caf::type_id_t, std::string_view) final {
    collects_bytes_ = false;
    return true;
  }

  bool end_object() final {
    return true;
  }

  bool begin_field(std::string_view) final {
    return true;
  }

  bool begin_field(std::string_view, bool is_present) final {
    return visit(is_present);
  }

  bool begin_field(std::string_view, caf::span<const caf::type_id_t>,
                   std::size_t index) final {
    return visit(std::uint64_t{index});
  }

  bool begin_field(
    std::string_view name, bool is_present,
    caf::span<const caf::type_id_t> types, std::size_t index) final {
    return visit(is_present)
           && (!is_present || begin_field(name, types, index));
  }

  bool end_field() final {
    return true;
  }

  bool begin_tuple(std::size_t) final {
    collects_bytes_ = false;
    return true;
  }

  bool end_tuple() final {
    return true;
  }

  bool begin_sequence(std::size_t) final {
    derived().begin();
    bytes_.clear();
    collects_bytes_ = true;
    return true;
  }

  bool end_sequence() final {
    if (std::exchange(collects_bytes_, false) && !bytes_.empty())
      derived().raw(bytes_);
    derived().end();
    return true;
  }

#else
  caf::error begin_object(std::uint16_t&, std::string&) final {
    derived().begin();
    return caf::none;
  }

  caf::error end_object() final {
    derived().end();
    return caf::none;
  }

  caf::error begin_sequence(std::size_t&) final {
    derived().begin();
    return caf::none;
  }

  caf::error end_sequence() final {
    derived().end();
    return caf::none;
  }

  caf::error apply_raw(std::size_t size, void* data) final {
    derived().raw({static_cast<const char*>(data), size});
    return caf::none;
  }
#endif

  template <class T>
  visited visit(const T& x) {
    if constexpr (std::is_same_v<T, std::uint64_t>) {
      derived().natural(x);
    } else if constexpr (std::is_integral_v<
                           T> || std::is_same_v<T, std::byte>) {
      if (sizeof(T) == 1 && collects_bytes_ && is_number<T>)
        bytes_ += static_cast<char>(x);
      else
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
    return visited_well();
  }

private:
  /// Whether CAF 1 passes the bytes of a container as such numbers.
  template <class T>
  static constexpr bool is_number
    = std::is_same_v<T, std::int8_t> || std::is_same_v<T, std::uint8_t>;

  // Bytes of the innermost sequence, while it has nothing else. With CAF 1.
  std::string bytes_;
  bool collects_bytes_ = false;

  Derived& derived() noexcept {
    return static_cast<Derived&>(*this);
  }
};

} // namespace caf::rosia::detail
