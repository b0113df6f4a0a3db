// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/message_reader.hpp"

#include <caf/actor_system.hpp>
#include <caf/detail/meta_object.hpp>
#include <caf/message.hpp>
#include <caf/sec.hpp>

#include <utility>

namespace caf::rosia::detail {

message_reader::message_reader(caf::deserializer& from) : from_(from) {
  context_ = from.context();
}

bool message_reader::fetch_next_object_type(caf::type_id_t& type) {
  return noted(from_.fetch_next_object_type(type));
}

bool message_reader::begin_object(caf::type_id_t type, std::string_view name) {
  auto is_message = type == caf::type_id_v<caf::message>;
  if (is_message && depth_ >= most_nested) {
    emplace_error(
      caf::sec::runtime_error,
      "there are messages within messages, more than "
        + std::to_string(most_nested) + " deep");
    problem_ = get_error();
    return false;
  }
  messages_.push_back(is_message);
  depth_ += is_message ? 1 : 0;
  return noted(from_.begin_object(type, name));
}

bool message_reader::end_object() {
  depth_ -= messages_.back() ? 1 : 0;
  messages_.pop_back();
  return noted(from_.end_object());
}

bool message_reader::begin_field(std::string_view name) {
  // CAF says only that it does not know a message's type.
  reads_types_ = !messages_.empty() && messages_.back() && name == "types";
  return noted(from_.begin_field(name));
}

bool message_reader::begin_field(std::string_view name, bool& is_present) {
  return noted(from_.begin_field(name, is_present));
}

bool message_reader::begin_field(
  std::string_view name, caf::span<const caf::type_id_t> types,
  std::size_t& index) {
  return noted(from_.begin_field(name, types, index));
}

bool message_reader::begin_field(
  std::string_view name, bool& is_present,
  caf::span<const caf::type_id_t> types, std::size_t& index) {
  return noted(from_.begin_field(name, is_present, types, index));
}

bool message_reader::end_field() {
  reads_types_ = false;
  return noted(from_.end_field());
}

bool message_reader::begin_tuple(std::size_t size) {
  return noted(from_.begin_tuple(size));
}

bool message_reader::end_tuple() {
  return noted(from_.end_tuple());
}

bool message_reader::begin_sequence(std::size_t& size) {
  return noted(from_.begin_sequence(size));
}

bool message_reader::end_sequence() {
  return noted(from_.end_sequence());
}

bool message_reader::value(std::byte& x) {
  return noted(from_.value(x));
}

bool message_reader::value(bool& x) {
  return noted(from_.value(x));
}

bool message_reader::value(std::int8_t& x) {
  return noted(from_.value(x));
}

bool message_reader::value(std::uint8_t& x) {
  return noted(from_.value(x));
}

bool message_reader::value(std::int16_t& x) {
  return noted(from_.value(x));
}

bool message_reader::value(std::uint16_t& x) {
  if (!noted(from_.value(x)))
    return false;
  if (!reads_types_ || caf::detail::global_meta_object_or_null(x) != nullptr)
    return true;
  emplace_error(
    caf::sec::unknown_type,
    "there is a message with the type id " + std::to_string(x)
      + ", which this process does not know (CAF_ADD_TYPE_ID, "
        "caf::init_global_meta_objects)");
  problem_ = get_error();
  return false;
}

bool message_reader::value(std::int32_t& x) {
  return noted(from_.value(x));
}

bool message_reader::value(std::uint32_t& x) {
  return noted(from_.value(x));
}

bool message_reader::value(std::int64_t& x) {
  return noted(from_.value(x));
}

bool message_reader::value(std::uint64_t& x) {
  return noted(from_.value(x));
}

bool message_reader::value(float& x) {
  return noted(from_.value(x));
}

bool message_reader::value(double& x) {
  return noted(from_.value(x));
}

bool message_reader::value(long double& x) {
  return noted(from_.value(x));
}

bool message_reader::value(std::string& x) {
  return noted(from_.value(x));
}

bool message_reader::value(std::u16string& x) {
  return noted(from_.value(x));
}

bool message_reader::value(std::u32string& x) {
  return noted(from_.value(x));
}

bool message_reader::value(caf::span<std::byte> x) {
  return noted(from_.value(x));
}

bool message_reader::list(std::vector<bool>& xs) {
  return noted(from_.list(xs));
}

bool message_reader::noted(bool accepted) {
  if (!accepted && !problem_) {
    problem_ = from_.get_error();
    set_error(problem_);
  }
  return accepted;
}

} // namespace caf::rosia::detail
