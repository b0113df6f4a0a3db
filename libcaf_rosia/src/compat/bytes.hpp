// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/config.hpp>

#if CAF_MAJOR_VERSION >= 1
#  include <caf/deserializer.hpp>
#  include <caf/serializer.hpp>
#  include <caf/span.hpp>
#  include <caf/type_id.hpp>

#  include <cstdint>
#  include <string>
#  include <string_view>
#  include <utility>
#else
#  include <caf/deserializer.hpp>
#  include <caf/serializer.hpp>

#  include <cstdint>
#  include <string>
#  include <string_view>
#endif

#include <cstddef>
#include <vector>

// Values as bytes, for traces, for files, and for nodes of other processes. The
// layout is that of CAF 0.17, for each version of CAF. The bits of a real
// number are copied: CAF 0.17 computes them, never returns for infinity, and
// changes NaN, -0 and denormal numbers.

namespace caf::rosia::detail {

#if CAF_MAJOR_VERSION >= 1

/// @tparam Bytes a container of `char`.
template <class Bytes>
class basic_byte_writer final : public caf::serializer {
public:
  explicit basic_byte_writer(Bytes& to) : to_(to) {
    // nop
  }

  basic_byte_writer(caf::actor_system&, Bytes& to) : to_(to) {
    // nop
  }

  bool begin_object(caf::type_id_t, std::string_view) override {
    return true;
  }

  bool end_object() override {
    return true;
  }

  bool begin_field(std::string_view) override {
    return true;
  }

  bool begin_field(std::string_view, bool is_present) override;

  bool begin_field(std::string_view, caf::span<const caf::type_id_t> types,
                   std::size_t index) override;

  bool begin_field(
    std::string_view, bool is_present, caf::span<const caf::type_id_t> types,
    std::size_t index) override;

  bool end_field() override {
    return true;
  }

  bool begin_tuple(std::size_t) override {
    return true;
  }

  bool end_tuple() override {
    return true;
  }

  bool begin_sequence(std::size_t size) override;

  bool end_sequence() override {
    return true;
  }

  bool value(std::byte x) override;

  bool value(bool x) override;

  bool value(std::int8_t x) override;

  bool value(std::uint8_t x) override;

  bool value(std::int16_t x) override;

  bool value(std::uint16_t x) override;

  bool value(std::int32_t x) override;

  bool value(std::uint32_t x) override;

  bool value(std::int64_t x) override;

  bool value(std::uint64_t x) override;

  bool value(float x) override;

  bool value(double x) override;

  bool value(long double x) override;

  bool value(std::string_view x) override;

  bool value(const std::u16string& x) override;

  bool value(const std::u32string& x) override;

  bool value(caf::span<const std::byte> x) override;

  bool list(const std::vector<bool>& xs) override;

private:
  template <class T>
  bool number(T x);

  Bytes& to_;
};

using byte_writer = basic_byte_writer<std::vector<char>>;

/// Rejects messages that are nested too deep, and messages of a type that this
/// process does not know.
class byte_reader : public caf::deserializer {
public:
  explicit byte_reader(const std::vector<char>& from)
    : rest_(from.data(), from.size()) {
    // nop
  }

  /// @param sys makes handles of actors readable.
  byte_reader(caf::actor_system* sys, std::string_view from) : rest_(from) {
    context_ = sys;
  }

  std::size_t remaining() const noexcept {
    return rest_.size();
  }

  std::string_view rest() const noexcept {
    return rest_;
  }

  /// @pre There are at least `n` bytes left.
  void skip(std::size_t n) noexcept {
    rest_.remove_prefix(n);
  }

  bool fetch_next_object_type(caf::type_id_t&) override;

  bool begin_object(caf::type_id_t type, std::string_view) override;

  bool end_object() override;

  bool begin_field(std::string_view) override {
    // This is the first field of a message.
    reads_types_ = std::exchange(awaits_types_, false);
    return true;
  }

  bool begin_field(std::string_view, bool& is_present) override;

  bool begin_field(std::string_view, caf::span<const caf::type_id_t> types,
                   std::size_t& index) override;

  bool begin_field(
    std::string_view, bool& is_present, caf::span<const caf::type_id_t> types,
    std::size_t& index) override;

  bool end_field() override {
    return true;
  }

  bool begin_tuple(std::size_t) override {
    return true;
  }

  bool end_tuple() override {
    return true;
  }

  bool begin_sequence(std::size_t& size) override;

  bool end_sequence() override {
    return true;
  }

  bool value(std::byte& x) override;

  bool value(bool& x) override;

  bool value(std::int8_t& x) override;

  bool value(std::uint8_t& x) override;

  bool value(std::int16_t& x) override;

  bool value(std::uint16_t& x) override;

  bool value(std::int32_t& x) override;

  bool value(std::uint32_t& x) override;

  bool value(std::int64_t& x) override;

  bool value(std::uint64_t& x) override;

  bool value(float& x) override;

  bool value(double& x) override;

  bool value(long double& x) override;

  bool value(std::string& x) override;

  bool value(std::u16string& x) override;

  bool value(std::u32string& x) override;

  bool value(caf::span<std::byte> x) override;

  bool list(std::vector<bool>& xs) override;

protected:
  bool fail();

  /// Returns the number of objects that contain the next value.
  std::size_t objects() const noexcept {
    return objects_;
  }

  /// Returns the number of messages among them.
  std::size_t messages() const noexcept {
    return messages_.size();
  }

private:
  template <class T>
  bool number(T& x);

  template <class Text>
  bool code_units(Text& x);

  std::string_view rest_;
  std::size_t objects_ = 0;           // that contain the next value
  std::vector<std::size_t> messages_; // the messages among them
  bool awaits_types_ = false;
  bool reads_types_ = false;
};

#else

/// Appends values to bytes.
/// @tparam Bytes a container of `char`.
template <class Bytes>
class basic_byte_writer final : public caf::serializer {
public:
  /// @param to must outlive this object.
  explicit basic_byte_writer(Bytes& to) : to_(to) {
    // nop
  }

  /// @param sys makes handles of actors writable.
  basic_byte_writer(caf::actor_system& sys, Bytes& to)
    : caf::serializer(sys), to_(to) {
    // nop
  }

  caf::error begin_object(std::uint16_t& type, std::string& name) override;

  caf::error end_object() override;

  caf::error begin_sequence(std::size_t& size) override;

  caf::error end_sequence() override;

  caf::error apply_raw(std::size_t size, void* data) override;

protected:
  caf::error apply_impl(std::int8_t& x) override;

  caf::error apply_impl(std::uint8_t& x) override;

  caf::error apply_impl(std::int16_t& x) override;

  caf::error apply_impl(std::uint16_t& x) override;

  caf::error apply_impl(std::int32_t& x) override;

  caf::error apply_impl(std::uint32_t& x) override;

  caf::error apply_impl(std::int64_t& x) override;

  caf::error apply_impl(std::uint64_t& x) override;

  caf::error apply_impl(float& x) override;

  caf::error apply_impl(double& x) override;

  caf::error apply_impl(long double& x) override;

  caf::error apply_impl(std::string& x) override;

  caf::error apply_impl(std::u16string& x) override;

  caf::error apply_impl(std::u32string& x) override;

private:
  template <class T>
  caf::error number(T x);

  template <class Unit, class Text>
  caf::error code_units(const Text& x);

  Bytes& to_;
};

using byte_writer = basic_byte_writer<std::vector<char>>;

/// Reads values from bytes.
class byte_reader final : public caf::deserializer {
public:
  /// @param from must outlive this object.
  explicit byte_reader(const std::vector<char>& from)
    : rest_(from.data(), from.size()) {
    // nop
  }

  /// @param unit has the proxies of the actors whose handles are read.
  /// @param from must outlive this object.
  byte_reader(caf::execution_unit* unit, std::string_view from)
    : caf::deserializer(unit), rest_(from) {
    // nop
  }

  /// Returns the number of bytes left.
  std::size_t remaining() const noexcept {
    return rest_.size();
  }

  std::string_view rest() const noexcept {
    return rest_;
  }

  /// @pre There are at least `n` bytes left.
  void skip(std::size_t n) noexcept {
    rest_.remove_prefix(n);
  }

  caf::error begin_object(std::uint16_t& type, std::string& name) override;

  caf::error end_object() override;

  caf::error begin_sequence(std::size_t& size) override;

  caf::error end_sequence() override;

  caf::error apply_raw(std::size_t size, void* data) override;

protected:
  caf::error apply_impl(std::int8_t& x) override;

  caf::error apply_impl(std::uint8_t& x) override;

  caf::error apply_impl(std::int16_t& x) override;

  caf::error apply_impl(std::uint16_t& x) override;

  caf::error apply_impl(std::int32_t& x) override;

  caf::error apply_impl(std::uint32_t& x) override;

  caf::error apply_impl(std::int64_t& x) override;

  caf::error apply_impl(std::uint64_t& x) override;

  caf::error apply_impl(float& x) override;

  caf::error apply_impl(double& x) override;

  caf::error apply_impl(long double& x) override;

  caf::error apply_impl(std::string& x) override;

  caf::error apply_impl(std::u16string& x) override;

  caf::error apply_impl(std::u32string& x) override;

private:
  template <class T>
  caf::error number(T& x);

  template <class Unit, class Text>
  caf::error code_units(Text& x);

  std::string_view rest_;
};

#endif

} // namespace caf::rosia::detail
