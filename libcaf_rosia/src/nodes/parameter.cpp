// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/parameter.hpp"

#include "base/duration.hpp"
#include "caf/rosia/detail/parameter_scope.hpp"
#include "caf/rosia/graph_error.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

namespace caf::rosia {

namespace detail {

namespace {

/// The scope of the node that this thread constructs; null if there is none.
thread_local const parameter_scope* current_scope = nullptr;

template <class T>
bool read_number(std::string_view from, T& to) {
  auto last = from.data() + from.size();
  auto [end, code] = std::from_chars(from.data(), last, to);
  return code == std::errc{} && end == last;
}

} // namespace

// -- parameter_scope ----------------------------------------------------------

parameter_scope::parameter_scope(parameter_values values) noexcept
  : values_(std::move(values)), outer_(std::exchange(current_scope, this)) {
  // nop
}

parameter_scope::~parameter_scope() {
  current_scope = outer_;
}

const std::string* parameter_scope::find(std::string_view name) noexcept {
  if (current_scope == nullptr)
    return nullptr;
  auto& values = current_scope->values_;
  auto i = std::find_if(values.rbegin(), values.rend(), [&](auto& x) {
    return x.first == name;
  });
  return i == values.rend() ? nullptr : &i->second;
}

// -- values as text -----------------------------------------------------------

bool read_parameter(std::string_view from, bool& to) {
  to = from == "true";
  return to || from == "false";
}

bool read_parameter(std::string_view from, std::int64_t& to) {
  return read_number(from, to);
}

bool read_parameter(std::string_view from, std::uint64_t& to) {
  return read_number(from, to);
}

bool read_parameter(std::string_view from, double& to) {
  return read_number(from, to);
}

bool read_parameter(std::string_view from, std::string& to) {
  to = from;
  return true;
}

bool read_parameter(std::string_view from, std::chrono::nanoseconds& to) {
  auto result = parse_timespan(from);
  to = result.value_or(to);
  return result.has_value();
}

std::string parameter_text(bool x) {
  return x ? "true" : "false";
}

std::string parameter_text(std::int64_t x) {
  return std::to_string(x);
}

std::string parameter_text(std::uint64_t x) {
  return std::to_string(x);
}

std::string parameter_text(float x) {
  return fmt::format("{}", x);
}

std::string parameter_text(double x) {
  return fmt::format("{}", x);
}

std::string parameter_text(const std::string& x) {
  return x;
}

std::string parameter_text(std::chrono::nanoseconds x) {
  return time_text(x);
}

std::string whole_numbers(const std::string& least, const std::string& most) {
  return "a whole number from " + least + " to " + most;
}

std::string durations(std::chrono::nanoseconds step) {
  if (step <= std::chrono::nanoseconds{1})
    return "a duration, such as 1.5s or 20ms";
  return "a multiple of " + time_text(step) + ", such as "
         + time_text(20 * step);
}

} // namespace detail

// -- parameter_base -----------------------------------------------------------

const std::string* parameter_base::setting() const noexcept {
  return detail::parameter_scope::find(name());
}

void parameter_base::note(std::string initial, std::string value) {
  initial_ = std::move(initial);
  text_ = std::move(value);
}

void parameter_base::refuse(const std::string& text) const {
  throw graph_error("rosia.set: '" + text + "' is no value of parameter '"
                    + name() + "', which is " + values_);
}

} // namespace caf::rosia
