// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Names for parts of CAF's API that differ between versions. A program for one
// version does not need this file.

#pragma once

#include <caf/actor_system_config.hpp>
#include <caf/config.hpp>

#if CAF_MAJOR_VERSION >= 1
#  include <caf/result.hpp>
#else
#  include <caf/replies_to.hpp>
#endif

namespace examples {

#if CAF_MAJOR_VERSION >= 1

template <class Result, class... Ts>
using signature = caf::result<Result>(Ts...);

inline bool help_was_printed(const caf::actor_system_config& cfg) {
  return cfg.helptext_printed();
}

#else

/// The signature of a request to a typed actor: message and answer.
template <class Result, class... Ts>
using signature = typename caf::replies_to<Ts...>::template with<Result>;

/// Returns whether the user asked only for help.
inline bool help_was_printed(const caf::actor_system_config& cfg) {
  return cfg.cli_helptext_printed;
}

#endif

} // namespace examples
