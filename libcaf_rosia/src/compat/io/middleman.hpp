// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/actor_system_config.hpp>

namespace caf::rosia::detail {

/// Lets CAF 1 know the types of the middleman's messages, and of its own ones,
/// for all systems of the process.
bool init_middleman_messages();

/// Declares the middleman's options, as if it were loaded: with CAF 1, modules
/// declare their options themselves, and programs read theirs before it is
/// known who needs the network.
void declare_middleman_options(caf::actor_system_config& cfg);

/// Which multiplexer runs the sockets.
enum class multiplexer_kind { caf, rosia };

/// Loads CAF's middleman. It starts before all other modules, wherever they
/// were loaded: they build on it.
void load_middleman(caf::actor_system_config& cfg, multiplexer_kind kind);

} // namespace caf::rosia::detail
