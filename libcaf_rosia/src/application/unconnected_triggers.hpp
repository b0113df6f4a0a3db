// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/node.hpp"
#include "engine/topology.hpp"

#include <spdlog/logger.h>

#include <vector>

namespace caf::rosia::detail {

/// Logs a warning for reactions of this process that can never run, and a note
/// for those that run without some of their triggers.
/// @param nodes null for nodes that another process runs.
void warn_of_unconnected(spdlog::logger& to, const engine::topology& graph,
                         const std::vector<node*>& nodes);

} // namespace caf::rosia::detail
