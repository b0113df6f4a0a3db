// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/byte_layout.hpp"
#include "compat/visitor.hpp"

#include <caf/sec.hpp>
#include <caf/span.hpp>
#include <caf/type_id.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace caf::rosia::detail {

/// Appends values to bytes. Tests: test/compat/bytes_test.cpp.
/// @tparam Bytes a container of `char`.
template <class Bytes>
class basic_byte_writer final : public write_visitor<basic_byte_writer<Bytes>> {
public:
  /// @param to must outlive this object.
  explicit basic_byte_writer(Bytes& to) : to_(to) {
    // nop
  }

  basic_byte_writer(caf::actor_system&, Bytes& to) : to_(to) {
    // nop
  }

  bool begin_sequence(std::size_t size) override {
    auto is_put = put_sequence_size(to_, size);
    sequences_.enter(size, to_.size());
    return check(is_put);
  }

  bool end_sequence() override {
    return check(sequences_.leave(to_.size()), too_many_empty_elements);
  }

  bool list(const std::vector<bool>& xs) override {
    if (!check(put_sequence_size(to_, xs.size())))
      return false;
    if (xs.empty())
      return true;
    // The bytes are preceded by their number.
    auto bytes = packed(xs);
    put_size(to_, bytes.size());
    to_.insert(to_.end(), bytes.begin(), bytes.end());
    return true;
  }

  template <class T>
  bool visit(const T& x) {
    return check(put_value(to_, x));
  }

private:
  bool check(bool is_put, const char* problem = too_many_elements) {
    if (!is_put)
      this->emplace_error(caf::sec::runtime_error, std::string{problem});
    return is_put;
  }

  Bytes& to_;
  sequence_check sequences_;
};

using byte_writer = basic_byte_writer<std::vector<char>>;

/// Reads values from bytes. Rejects messages that are nested too deep, and
/// messages of a type that this process does not know. Tests:
/// test/compat/bytes_test.cpp.
class byte_reader : public read_visitor<byte_reader>, public byte_source {
public:
  /// @param from must outlive this object.
  explicit byte_reader(const std::vector<char>& from)
    : byte_source({from.data(), from.size()}) {
    // nop
  }

  /// @param sys makes handles of actors readable.
  /// @param from must outlive this object.
  byte_reader(caf::actor_system* sys, std::string_view from)
    : byte_source(from) {
    context_ = sys;
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

  bool list(std::vector<bool>& xs) override;

  template <class T>
  bool visit(T& x) {
    if (auto result = take_value(rest_, x); result != read_result::done)
      return fail(result);
    if constexpr (std::is_same_v<T, std::uint16_t>)
      return check_type(x);
    return true;
  }

protected:
  /// Sets the error. @returns false.
  bool fail(read_result problem = read_result::cut_off);

  /// Returns the number of objects that contain the next value.
  std::size_t objects() const noexcept {
    return objects_;
  }

  /// Returns the number of messages among them.
  std::size_t messages() const noexcept {
    return messages_.size();
  }

private:
  /// Refuses the type of a message's content if this process does not know it.
  bool check_type(std::uint16_t type);

  std::size_t objects_ = 0;           // that contain the next value
  std::vector<std::size_t> messages_; // the messages among them
  bool awaits_types_ = false;
  bool reads_types_ = false;
};

} // namespace caf::rosia::detail
