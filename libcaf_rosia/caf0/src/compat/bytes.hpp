// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/byte_layout.hpp"
#include "compat/visitor.hpp"

#include <caf/error.hpp>
#include <caf/sec.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
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

  /// @param sys makes handles of actors writable.
  basic_byte_writer(caf::actor_system& sys, Bytes& to)
    : write_visitor<basic_byte_writer>(sys), to_(to) {
    // nop
  }

  caf::error begin_object(std::uint16_t& type, std::string& name) override {
    put_number(to_, type);
    return type != 0 ? caf::error{} : visit(name);
  }

  caf::error end_object() override {
    return caf::none;
  }

  caf::error begin_sequence(std::size_t& size) override {
    auto is_put = put_sequence_size(to_, size);
    sequences_.enter(size, to_.size());
    return result_of(is_put);
  }

  caf::error end_sequence() override {
    return result_of(sequences_.leave(to_.size()), too_many_empty_elements);
  }

  caf::error apply_raw(std::size_t size, void* data) override {
    auto* begin = static_cast<const char*>(data);
    to_.insert(to_.end(), begin, begin + size);
    return caf::none;
  }

  template <class T>
  caf::error visit(const T& x) {
    return result_of(put_value(to_, x));
  }

private:
  static caf::error result_of(
    bool is_put, const char* problem = too_many_elements) {
    return is_put
             ? caf::error{}
             : caf::make_error(caf::sec::runtime_error, std::string{problem});
  }

  Bytes& to_;
  sequence_check sequences_;
};

using byte_writer = basic_byte_writer<std::vector<char>>;

/// Reads values from bytes. Tests: test/compat/bytes_test.cpp.
class byte_reader : public read_visitor<byte_reader>, public byte_source {
public:
  /// @param from must outlive this object.
  explicit byte_reader(const std::vector<char>& from)
    : byte_source({from.data(), from.size()}) {
    // nop
  }

  /// @param unit has the proxies of the actors whose handles are read.
  /// @param from must outlive this object.
  byte_reader(caf::execution_unit* unit, std::string_view from)
    : read_visitor<byte_reader>(unit), byte_source(from) {
    // nop
  }

  caf::error begin_object(std::uint16_t& type, std::string& name) override {
    name.clear();
    if (auto err = visit(type))
      return err;
    return type != 0 ? caf::error{} : visit(name);
  }

  caf::error end_object() override {
    return caf::none;
  }

  caf::error begin_sequence(std::size_t& size) override {
    return take_sequence_size(rest_, size) ? caf::error{} : cut_off();
  }

  caf::error end_sequence() override {
    return caf::none;
  }

  caf::error apply_raw(std::size_t size, void* data) override {
    if (size > rest_.size())
      return cut_off();
    rest_.copy(static_cast<char*>(data), size);
    skip(size);
    return caf::none;
  }

  template <class T>
  caf::error visit(T& x) {
    switch (take_value(rest_, x)) {
      case read_result::done:
        return caf::none;
      case read_result::other_processor:
        return caf::make_error(
          caf::sec::runtime_error, std::string{other_long_double});
      default:
        return cut_off();
    }
  }

private:
  static caf::error cut_off() {
    return caf::make_error(caf::sec::end_of_stream);
  }
};

} // namespace caf::rosia::detail
