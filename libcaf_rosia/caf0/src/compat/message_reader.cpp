// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/message_reader.hpp"

#include "base/text.hpp"
#include "compat/message_nesting.hpp"

#include <caf/actor_system.hpp>
#include <caf/execution_unit.hpp>
#include <caf/sec.hpp>
#include <caf/uniform_type_info_map.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace caf::rosia::detail {

namespace {

/// Returns whether values of a type contain no other values.
bool is_plain(std::string_view type) {
  constexpr std::string_view all[]
    = {"@atom", "@charbuf", "@duration", "@i16",    "@i32",    "@i64",
       "@i8",   "@ldouble", "@str",      "@strmap", "@strset", "@strvec",
       "@u16",  "@u16str",  "@u32",      "@u32str", "@u64",    "@u8",
       "@unit", "bool",     "double",    "float"};
  return std::find(std::begin(all), std::end(all), type) != std::end(all);
}

/// Returns whether a message whose types begin like this may contain messages.
bool may_contain_others(std::string_view types) {
  auto is_cut_off = types.size() == longest_type || types.ends_with('+');
  return is_cut_off || !all_plain(types);
}

} // namespace

bool all_plain(std::string_view types) {
  while (!types.empty()) {
    auto end = std::min(types.find('+'), types.size());
    if (end > 0 && !is_plain(types.substr(0, end)))
      return false;
    types.remove_prefix(std::min(end + 1, types.size()));
  }
  return true;
}

bool may_nest_too_deep(std::string_view content) {
  // Number of lists of types of messages that may contain messages.
  std::size_t count = 0;
  for (auto at = content.find(type_prefix);
       at != std::string_view::npos && count <= most_nested;
       at = content.find(type_prefix, at + 1)) {
    auto text = content.substr(at + type_prefix.size(), longest_type);
    auto end = std::find_if_not(text.begin(), text.end(), is_printable);
    text = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    if (!text.empty() && may_contain_others(text))
      ++count;
  }
  return count > most_nested;
}

// -- reading ------------------------------------------------------------------

message_reader::message_reader(caf::deserializer& from)
  : read_visitor<message_reader>(from.context()), from_(from) {
  // nop
}

caf::error message_reader::begin_object(
  std::uint16_t& type, std::string& name) {
  // CAF calls this for messages only.
  if (auto err = noted(from_.begin_object(type, name)))
    return err;
  if (name == type_prefix)
    return caf::none; // it is empty, and CAF does not call end_object
  if (auto err = noted(check_types(name)))
    return err;
  if (depth_ >= most_nested)
    return noted(caf::make_error(
      caf::sec::runtime_error,
      "there are messages within messages, more than "
        + std::to_string(most_nested) + " deep"));
  ++depth_;
  return caf::none;
}

caf::error message_reader::end_object() {
  --depth_;
  return noted(from_.end_object());
}

caf::error message_reader::begin_sequence(std::size_t& size) {
  return noted(from_.begin_sequence(size));
}

caf::error message_reader::end_sequence() {
  return noted(from_.end_sequence());
}

caf::error message_reader::apply_raw(std::size_t size, void* data) {
  return noted(from_.apply_raw(size, data));
}

caf::error message_reader::noted(caf::error x) {
  if (x && !problem_)
    problem_ = x;
  return x;
}

caf::error message_reader::check_types(std::string_view types) {
  if (!types.starts_with(type_prefix))
    return caf::make_error(
      caf::sec::runtime_error, "there is no message where one has to be");
  auto& known = context()->system().types();
  auto rest = types.substr(type_prefix.size());
  while (!rest.empty()) {
    rest.remove_prefix(1); // '+'
    auto end = std::min(rest.find('+'), rest.size());
    std::string name{rest.substr(0, end)};
    if (!known.make_value(name))
      return caf::make_error(
        caf::sec::runtime_error,
        "there is a message with type '" + name
          + "', which this process does not know (add_message_type)");
    rest.remove_prefix(end);
  }
  return caf::none;
}

} // namespace caf::rosia::detail
