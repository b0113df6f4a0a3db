// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/message_ids.hpp"

#include <caf/actor_system_config.hpp>
#include <caf/init_global_meta_objects.hpp>

#include <string>

namespace caf::rosia::detail {

/// CAF 1 knows all messages after `init_messages`.
template <class T>
void add_message_type(caf::actor_system_config&, const std::string&) {
  static_assert(caf::has_type_id_v<T>);
}

/// Registers the types of all messages with CAF, for all systems of the
/// process.
/// @pre All types are complete, and CAF's own ones are registered.
template <class Values = caf::id_block::caf_rosia_values,
          class Messages = caf::id_block::caf_rosia>
bool init_messages() {
  caf::init_global_meta_objects<Values>();
  caf::init_global_meta_objects<Messages>();
  return true;
}

} // namespace caf::rosia::detail
