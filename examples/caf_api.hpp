// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// What these programs need of CAF that its versions have under different names.
// A program that is written for one version needs nothing of this.

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

/// A request to a typed actor: what is in it, and what the answer is.
template <class Result, class... Ts>
using signature = typename caf::replies_to<Ts...>::template with<Result>;

/// Whether the user has asked for help, and for nothing else.
inline bool help_was_printed(const caf::actor_system_config& cfg) {
  return cfg.cli_helptext_printed;
}

#endif

} // namespace examples
