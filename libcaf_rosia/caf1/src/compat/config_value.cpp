// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/config_value.hpp"

#include <caf/error.hpp>

namespace caf::rosia::detail {

// -- options ------------------------------------------------------------------

namespace {

caf::error accept(void*, caf::config_value&) {
  return caf::none;
}

} // namespace

caf::config_option::meta_state make_unchecked_type(std::string_view name) {
  return {accept, nullptr, name};
}

std::string without_variable(std::string_view name) {
  return std::string{name} + ",,";
}

bool takes_text(const caf::config_option& opt, const std::string& text) {
  return takes_value(opt, caf::config_value{text});
}

bool takes_value(const caf::config_option& opt,
                 const caf::config_value& value) {
  auto copy = value;
  return !opt.sync(copy);
}

// -- values -------------------------------------------------------------------

std::optional<std::string> text_of(const caf::config_value& x) {
  if (auto str = caf::get_if<std::string>(&x))
    return *str;
  return std::nullopt;
}

} // namespace caf::rosia::detail
