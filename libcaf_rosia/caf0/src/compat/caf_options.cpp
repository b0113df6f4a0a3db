// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/caf_options.hpp"

#include <caf/atom.hpp>

#include <stdexcept>
#include <utility>

namespace caf::rosia::detail {

std::string caf_option(std::string_view name) {
  return std::string{name};
}

void set_word(caf::actor_system_config& cfg, std::string_view name,
              std::string_view value) {
  cfg.set(std::string{name}, caf::atom_from_string(std::string{value}));
}

std::optional<std::string> word_of(
  const caf::settings& content, std::string_view name) {
  if (auto atom = caf::get_if<caf::atom_value>(&content, std::string{name}))
    return caf::to_string(*atom);
  return std::nullopt;
}

std::string openssl_option(
  const caf::actor_system_config& cfg, std::string_view name) {
  if (name == "certificate")
    return cfg.openssl_certificate;
  return name == "key" ? cfg.openssl_key : cfg.openssl_cafile;
}

void parse_arguments(config_base& cfg, std::vector<std::string> arguments,
                     std::istream& file) {
  if (auto err = cfg.parse(std::move(arguments), file))
    throw std::invalid_argument(text_of(err));
}

std::string text_of(const caf::error& x) {
  return caf::actor_system_config::render(x);
}

} // namespace caf::rosia::detail
