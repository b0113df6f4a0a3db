// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/config.hpp>
#include <caf/error.hpp>
#include <caf/serializer.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#if CAF_MAJOR_VERSION >= 1
#  include <caf/span.hpp>
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
class value_sink : public caf::serializer {
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
    return value(is_present);
  }

  bool begin_field(std::string_view, caf::span<const caf::type_id_t>,
                   std::size_t index) final {
    return value(static_cast<std::uint64_t>(index));
  }

  bool begin_field(
    std::string_view name, bool is_present,
    caf::span<const caf::type_id_t> types, std::size_t index) final {
    return value(is_present)
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

  bool value(std::byte x) final {
    return integer(static_cast<std::uint8_t>(x));
  }

  bool value(bool x) final {
    return integer(x ? 1 : 0);
  }

  bool value(std::int8_t x) final {
    return small_integer(x);
  }

  bool value(std::uint8_t x) final {
    return small_integer(x);
  }

  bool value(std::int16_t x) final {
    return integer(x);
  }

  bool value(std::uint16_t x) final {
    return integer(x);
  }

  bool value(std::int32_t x) final {
    return integer(x);
  }

  bool value(std::uint32_t x) final {
    return integer(x);
  }

  bool value(std::int64_t x) final {
    return integer(x);
  }

  bool value(std::uint64_t x) final {
    derived().natural(x);
    return true;
  }

  bool value(float x) final {
    return value(double{x});
  }

  bool value(double x) final {
    derived().real(x);
    return true;
  }

  bool value(long double x) final {
    derived().real(x);
    return true;
  }

  bool value(std::string_view x) final {
    derived().text(x);
    return true;
  }

  bool value(const std::u16string& x) final {
    derived().code_units(x);
    return true;
  }

  bool value(const std::u32string& x) final {
    derived().code_units(x);
    return true;
  }

  bool value(caf::span<const std::byte> x) final {
    derived().raw({reinterpret_cast<const char*>(x.data()), x.size()});
    return true;
  }

private:
  bool integer(std::int64_t x) {
    derived().integer(x);
    return true;
  }

  template <class T>
  bool small_integer(T x) {
    if (!collects_bytes_)
      return integer(x);
    bytes_ += static_cast<char>(x);
    return true;
  }

  // Bytes of the innermost sequence, while it has nothing else.
  std::string bytes_;
  bool collects_bytes_ = false;
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

  caf::error apply_impl(std::int8_t& x) final {
    return integer(x);
  }

  caf::error apply_impl(std::uint8_t& x) final {
    return integer(x);
  }

  caf::error apply_impl(std::int16_t& x) final {
    return integer(x);
  }

  caf::error apply_impl(std::uint16_t& x) final {
    return integer(x);
  }

  caf::error apply_impl(std::int32_t& x) final {
    return integer(x);
  }

  caf::error apply_impl(std::uint32_t& x) final {
    return integer(x);
  }

  caf::error apply_impl(std::int64_t& x) final {
    return integer(x);
  }

  caf::error apply_impl(std::uint64_t& x) final {
    derived().natural(x);
    return caf::none;
  }

  caf::error apply_impl(float& x) final {
    return real(double{x});
  }

  caf::error apply_impl(double& x) final {
    return real(x);
  }

  caf::error apply_impl(long double& x) final {
    return real(x);
  }

  caf::error apply_impl(std::string& x) final {
    derived().text(x);
    return caf::none;
  }

  caf::error apply_impl(std::u16string& x) final {
    derived().code_units(x);
    return caf::none;
  }

  caf::error apply_impl(std::u32string& x) final {
    derived().code_units(x);
    return caf::none;
  }

private:
  caf::error integer(std::int64_t x) {
    derived().integer(x);
    return caf::none;
  }

  template <class T>
  caf::error real(T x) {
    derived().real(x);
    return caf::none;
  }
#endif

  Derived& derived() noexcept {
    return static_cast<Derived&>(*this);
  }
};

} // namespace caf::rosia::detail
