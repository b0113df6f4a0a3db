// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/bytes.hpp"

#include "compat/message_nesting.hpp"

#include <caf/detail/meta_object.hpp>
#include <caf/message.hpp>

#include <string>

namespace caf::rosia::detail {

bool byte_reader::fetch_next_object_type(caf::type_id_t&) {
  emplace_error(caf::sec::unsupported_operation);
  return false;
}

bool byte_reader::begin_object(caf::type_id_t type, std::string_view) {
  ++objects_;
  awaits_types_ = type == caf::type_id_v<caf::message>;
  if (!awaits_types_)
    return true;
  messages_.push_back(objects_);
  if (messages_.size() <= most_nested)
    return true;
  emplace_error(
    caf::sec::runtime_error,
    "there are messages within messages, more than "
      + std::to_string(most_nested) + " deep");
  return false;
}

bool byte_reader::end_object() {
  if (!messages_.empty() && messages_.back() == objects_)
    messages_.pop_back();
  --objects_;
  return true;
}

bool byte_reader::begin_field(std::string_view, bool& is_present) {
  return visit(is_present);
}

bool byte_reader::begin_field(
  std::string_view, caf::span<const caf::type_id_t> types, std::size_t& index) {
  std::uint32_t x = 0;
  if (!visit(x) || x >= types.size())
    return fail();
  index = x;
  return true;
}

bool byte_reader::begin_field(
  std::string_view name, bool& is_present,
  caf::span<const caf::type_id_t> types, std::size_t& index) {
  return visit(is_present) && (!is_present || begin_field(name, types, index));
}

bool byte_reader::begin_sequence(std::size_t& size) {
  return take_sequence_size(rest_, size) || fail();
}

bool byte_reader::fail(read_result problem) {
  if (problem == read_result::other_processor)
    emplace_error(caf::sec::runtime_error, std::string{other_long_double});
  else
    emplace_error(caf::sec::end_of_stream);
  return false;
}

bool byte_reader::check_type(std::uint16_t type) {
  if (!reads_types_ || caf::detail::global_meta_object_or_null(type) != nullptr)
    return true;
  emplace_error(
    caf::sec::unknown_type,
    "there is a message with the type id " + std::to_string(type)
      + ", which this process does not know (CAF_ADD_TYPE_ID, "
        "caf::init_global_meta_objects)");
  return false;
}

bool byte_reader::list(std::vector<bool>& xs) {
  std::size_t size = 0;
  if (!begin_sequence(size))
    return false;
  xs.clear();
  if (size == 0)
    return true;
  std::size_t bytes = 0;
  if (!begin_sequence(bytes) || bytes != (size - 1) / 8 + 1
      || bytes > rest_.size())
    return fail();
  for (std::size_t i = 0; i < size; ++i)
    xs.push_back((static_cast<unsigned char>(rest_[i / 8]) >> i % 8 & 1) != 0);
  rest_.remove_prefix(bytes);
  return true;
}

} // namespace caf::rosia::detail
