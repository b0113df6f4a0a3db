// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/actor_system_config.hpp>
#include <caf/make_type_erased_value.hpp>

#include <string>
#include <typeindex>
#include <typeinfo>

namespace caf::rosia::detail {

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

} // namespace caf::rosia::detail
