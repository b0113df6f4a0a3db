// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/config.hpp>

// Code compiled by g++ does not need this, and would take a second longer to
// compile in each file. CAF 1 describes types otherwise.
#if defined(__clang__) && CAF_MAJOR_VERSION < 1

#  include <caf/atom.hpp>
#  include <caf/make_config_option.hpp>
#  include <caf/timespan.hpp>

#  include <cstddef>
#  include <string>
#  include <vector>

namespace caf::rosia::detail {

template <class... Ts>
bool initialize_option_types() {
  return ((caf::detail::option_meta_state_instance<Ts>() != nullptr) && ...);
}

/// Makes options of a program's own safe in code that clang compiled.
///
/// CAF describes each type of option by a static object in an inline function,
/// which a program shares with CAF's library. g++, which the library is usually
/// compiled with, fills in one half of such an object when it compiles, and the
/// other half at the first call; clang does all of it at the first call. If
/// that call is the library's, clang's object keeps null pointers in one half,
/// and the program crashes as soon as somebody uses the option. So programs
/// make the first call themselves, before main(). These are the types that the
/// library has in common with programs.
inline const bool option_types_initialized = initialize_option_types<
  bool, std::size_t, std::string, caf::atom_value, caf::timespan,
  std::vector<std::size_t>, std::vector<std::string>,
  std::vector<caf::atom_value>>();

} // namespace caf::rosia::detail

#endif
