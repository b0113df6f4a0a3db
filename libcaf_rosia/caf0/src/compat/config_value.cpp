// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/config_value.hpp"

#include <caf/atom.hpp>
#include <caf/error.hpp>
#include <caf/expected.hpp>

namespace caf::rosia::detail {

// -- options ------------------------------------------------------------------

namespace {

caf::error accept(const caf::config_value&) {
  return caf::none;
}

void store_nothing(void*, const caf::config_value&) {
  // nop
}

caf::expected<caf::config_value> keep_text(void*, caf::string_view text) {
  return caf::config_value{text};
}

} // namespace

caf::config_option::meta_state make_unchecked_type(std::string_view name) {
  return {accept, store_nothing, nullptr, keep_text, std::string{name}};
}

std::string without_variable(std::string_view name) {
  return std::string{name};
}

bool takes_text(const caf::config_option& opt, const std::string& text) {
  return opt.parse(text).engaged();
}

bool takes_value(const caf::config_option& opt,
                 const caf::config_value& value) {
  return !opt.check(value);
}

// -- values -------------------------------------------------------------------

std::optional<std::string> text_of(const caf::config_value& x) {
  if (auto str = caf::get_if<std::string>(&x))
    return *str;
  if (auto atom = caf::get_if<caf::atom_value>(&x))
    return caf::to_string(*atom);
  return std::nullopt;
}

} // namespace caf::rosia::detail
