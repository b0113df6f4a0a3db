// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/config_base.hpp"

#include <caf/actor_system_config.hpp>
#include <caf/error.hpp>
#include <caf/settings.hpp>

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// CAF's own options, and the parsing of all options.

namespace caf::rosia::detail {

/// Returns the full name of an option of CAF, such as "scheduler.policy".
std::string caf_option(std::string_view name);

/// Sets an option of CAF to one of several words.
void set_word(caf::actor_system_config& cfg, std::string_view name,
              std::string_view value);

/// Returns the word that an option of CAF is set to, if it is set.
std::optional<std::string> word_of(
  const caf::settings& content, std::string_view name);

/// Returns an option of CAF's module for OpenSSL: "certificate", "key" or
/// "cafile". With CAF 1, these options exist if the module is loaded.
std::string openssl_option(
  const caf::actor_system_config& cfg, std::string_view name);

/// Lets CAF parse a config file, and arguments that were checked.
/// @throws std::invalid_argument if CAF rejects them.
void parse_arguments(config_base& cfg, std::vector<std::string> arguments,
                     std::istream& file);

std::string text_of(const caf::error& x);

} // namespace caf::rosia::detail
