// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/string_view.hpp>

// Only clang needs these. With g++ they would add a second of compile time to
// each file.
#ifdef __clang__
#  include <caf/atom.hpp>
#  include <caf/make_config_option.hpp>
#  include <caf/timespan.hpp>

#  include <cstddef>
#  include <string>
#  include <vector>
#endif

namespace caf::rosia::detail {

using config_base = caf::actor_system_config;

/// A view of text, in CAF's type.
using text_view = caf::string_view;

#ifdef __clang__

template <class... Ts>
bool initialize_option_types() {
  return ((caf::detail::option_meta_state_instance<Ts>() != nullptr) && ...);
}

/// Makes a program's options safe if clang compiles them.
///
/// CAF describes each option type by a static object in an inline function,
/// which programs share with CAF's library. g++, which usually compiles that
/// library, fills in one half of such an object at compile time and the other
/// half at the first call; clang does all of it at the first call. If the
/// library makes the first call, clang's object keeps null pointers in one
/// half, and the program crashes when the option is used. So programs make the
/// first call themselves, before main(). These are the types that the library
/// shares with programs.
inline const bool option_types_initialized = initialize_option_types<
  bool, std::size_t, std::string, caf::atom_value, caf::timespan,
  std::vector<std::size_t>, std::vector<std::string>,
  std::vector<caf::atom_value>>();

#endif

} // namespace caf::rosia::detail
