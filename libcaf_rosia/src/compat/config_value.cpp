// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/config_value.hpp"

#include "base/duration.hpp"

#include <caf/error.hpp>
#include <caf/expected.hpp>
#include <caf/timespan.hpp>

#include <cstdint>
#include <iomanip>
#include <map>
#include <mutex>
#include <sstream>
#include <utility>

namespace caf::rosia::detail {

using std::chrono::nanoseconds;

// -- options ------------------------------------------------------------------

namespace {

/// Options refer to the result, so it is never destroyed.
const caf::config_option::meta_state* unchecked_type(std::string_view name) {
  static std::mutex mutex;
  static std::map<std::string, caf::config_option::meta_state, std::less<>>
    types;
  std::lock_guard guard{mutex};
  auto i = types.find(name);
  if (i == types.end()) {
    i = types.try_emplace(std::string{name}).first;
    i->second = make_unchecked_type(i->first);
  }
  return &i->second;
}

} // namespace

caf::config_option make_unchecked_option(
  std::string_view group, std::string_view name, std::string_view description,
  std::string_view type_name) {
  auto view = [](std::string_view x) { return text_view{x.data(), x.size()}; };
  auto full_name = without_variable(name);
  return {
    view(group), view(full_name), view(description), unchecked_type(type_name)};
}

// -- values -------------------------------------------------------------------

bool read_value(const caf::config_value& from, bool& to) {
  if (auto value = caf::get_if<bool>(&from)) {
    to = *value;
    return true;
  }
  auto text = text_of(from);
  to = text == "true";
  return to || text == "false";
}

bool read_value(const caf::config_value& from, nanoseconds& to) {
  std::optional<nanoseconds> span;
  if (auto value = caf::get_if<caf::timespan>(&from))
    span = *value;
  else if (auto text = text_of(from))
    span = parse_timespan(*text);
  to = span.value_or(to);
  return span.has_value();
}

bool read_value(const caf::config_value& from, physical_time_span& to) {
  nanoseconds span = to;
  auto result = read_value(from, span);
  to = span;
  return result;
}

bool read_value(const caf::config_value& from, std::string& to) {
  // A config file may have a number, such as the number of processes.
  if (auto value = caf::get_if<std::int64_t>(&from)) {
    to = std::to_string(*value);
    return true;
  }
  auto text = text_of(from);
  to = text.value_or(to);
  return text.has_value();
}

bool read_value(const caf::config_value& from, signal_behavior& to) {
  using enum signal_behavior;
  for (auto candidate : {handle, ignore, none})
    if (text_of(from) == to_string(candidate)) {
      to = candidate;
      return true;
    }
  return false;
}

bool read_value(const caf::config_value& from, std::vector<std::string>& to) {
  auto* list = caf::get_if<caf::config_value::list>(&from);
  if (list == nullptr)
    return false;
  to.clear();
  for (auto& x : *list) {
    auto text = text_of(x);
    if (!text)
      return false;
    to.push_back(std::move(*text));
  }
  return true;
}

std::string quote(const std::string& x) {
  std::ostringstream out;
  out << std::quoted(x);
  return out.str();
}

std::string render_value(const caf::config_value& value) {
  // CAF shows a negative span as "0d", and text without escapes.
  if (auto span = caf::get_if<caf::timespan>(&value))
    return time_text(*span);
  if (auto text = caf::get_if<std::string>(&value))
    return quote(*text);
  return caf::to_string(value);
}

} // namespace caf::rosia::detail
