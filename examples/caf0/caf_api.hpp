// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Names for parts of CAF's API that differ between versions: CAF 0.17. A
// program for one version does not need this file.

#pragma once

#include <caf/actor_system_config.hpp>
#include <caf/replies_to.hpp>

namespace examples {

/// The signature of a request to a typed actor: message and answer.
template <class Result, class... Ts>
using signature = typename caf::replies_to<Ts...>::template with<Result>;

/// Returns whether the user asked only for help.
inline bool help_was_printed(const caf::actor_system_config& cfg) {
  return cfg.cli_helptext_printed;
}

} // namespace examples
