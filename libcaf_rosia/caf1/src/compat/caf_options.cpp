// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/caf_options.hpp"

#include <stdexcept>
#include <utility>

namespace caf::rosia::detail {

std::string caf_option(std::string_view name) {
  return "caf." + std::string{name};
}

void set_word(caf::actor_system_config& cfg, std::string_view name,
              std::string_view value) {
  cfg.set(caf_option(name), std::string{value});
}

std::optional<std::string> word_of(
  const caf::settings& content, std::string_view name) {
  if (auto* text = caf::get_if<std::string>(&content, caf_option(name)))
    return *text;
  return std::nullopt;
}

std::string openssl_option(
  const caf::actor_system_config& cfg, std::string_view name) {
  return caf::get_or(cfg, caf_option("openssl." + std::string{name}), "");
}

void parse_arguments(config_base& cfg, std::vector<std::string> arguments,
                     std::istream& file) {
  if (auto err = cfg.parse(std::move(arguments), file))
    throw std::invalid_argument(text_of(err));
  cfg.cli_helptext_printed = cfg.helptext_printed();
}

std::string text_of(const caf::error& x) {
  return caf::to_string(x);
}

} // namespace caf::rosia::detail
