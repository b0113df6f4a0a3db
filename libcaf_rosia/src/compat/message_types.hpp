// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/actor_system_config.hpp>
#include <caf/config.hpp>

#include <string>
#include <typeindex>
#include <typeinfo>

#if CAF_MAJOR_VERSION >= 1
#  include "compat/message_ids.hpp"

#  include <caf/init_global_meta_objects.hpp>
#else
#  include <caf/make_type_erased_value.hpp>
#endif

namespace caf::rosia::detail {

#if CAF_MAJOR_VERSION >= 1

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

#else

/// CAF 0.17 has the types of messages in a system's config.
inline bool init_messages() {
  return true;
}

/// Registers messages of a type with a config. Unlike CAF's function of this
/// name, it omits streams and vectors of them. These are never sent, should not
/// be received, and would double the code to compile.
template <class T>
void add_message_type(caf::actor_system_config& cfg, const std::string& name) {
  auto make = &caf::make_type_erased_value<T>;
  cfg.type_names_by_rtti.emplace(std::type_index(typeid(T)), name);
  cfg.value_factories_by_name.emplace(name, make);
  cfg.value_factories_by_rtti.emplace(std::type_index(typeid(T)), make);
}

#endif

} // namespace caf::rosia::detail
