// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/fwd.hpp>
#include <caf/node_id.hpp>

#include <string>
#include <string_view>

// The name of a process in the format of CAF's protocol.

namespace caf::rosia::detail {

std::string write_node_name(caf::actor_system& sys, const caf::node_id& x);

/// @pre `frame_checker` accepted the name.
caf::node_id read_node_name(caf::actor_system& sys, std::string_view bytes);

} // namespace caf::rosia::detail
