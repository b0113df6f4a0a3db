// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/node_handle.hpp"

#include <variant>

namespace caf::rosia::detail {

/// A message to a node other than data, from the coordinator or an observer.
using node_command
  = std::variant<start_message, end_proposal, final_tag_message, abort_message,
                 observation_request>;

} // namespace caf::rosia::detail
