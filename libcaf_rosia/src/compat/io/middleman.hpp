// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/actor_system_config.hpp>

namespace caf::rosia::detail {

/// Registers the types of the middleman's messages and of CAF's own ones with
/// CAF 1, for all systems of the process.
bool init_middleman_messages();

/// Declares the middleman's options without loading it. With CAF 1, modules
/// declare their options themselves, and programs read their options before
/// they know whether they need the network.
void declare_middleman_options(caf::actor_system_config& cfg);

/// The multiplexer that handles the sockets.
enum class multiplexer_kind { caf, rosia };

/// Loads CAF's middleman as the first module, because the other modules build
/// on it.
void load_middleman(caf::actor_system_config& cfg, multiplexer_kind kind);

} // namespace caf::rosia::detail
