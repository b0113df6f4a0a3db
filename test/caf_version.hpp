// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Names for parts of CAF's API that differ between versions. All other code of
// the tests is the same for all versions, as is users' code.

#pragma once

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/config.hpp>

#if CAF_MAJOR_VERSION >= 1
#  include <caf/actor_system_module.hpp>
#  include <caf/init_global_meta_objects.hpp>
#  include <caf/type_id.hpp>
#else
#  include <caf/atom.hpp>
#endif

#include <string>
#include <utility>

namespace test {

#if CAF_MAJOR_VERSION >= 1
/// The initialization that CAF 1 requires at the beginning of main().
inline const bool knows_messages_of_caf
  = (caf::core::init_global_meta_objects(), true);
#endif

/// Whether CAF is 1 or later, for features or texts of only one version.
#if CAF_MAJOR_VERSION >= 1
constexpr bool caf_is_1 = true;
#else
constexpr bool caf_is_1 = false;
#endif

// -- options of CAF's own -----------------------------------------------------

/// Returns the name of one of CAF's options: "scheduler.max-threads" may be
/// "caf.scheduler.max-threads".
inline std::string caf_option(const std::string& name) {
  return caf_is_1 ? "caf." + name : name;
}

/// Sets one of CAF's options, given by its name in CAF 0.17.
template <class T>
void set_caf_option(caf::actor_system_config& cfg, const std::string& name,
                    T value) {
  cfg.set(caf_option(name), std::move(value));
}

#if CAF_MAJOR_VERSION >= 1

inline void set_policy(caf::actor_system_config& cfg,
                       const std::string& policy) {
  cfg.set("caf.scheduler.policy", policy);
}

inline std::string policy_of(const caf::actor_system_config& cfg) {
  return caf::get_or(cfg, "caf.scheduler.policy", "");
}

inline std::string policy_of(const caf::settings& content) {
  return caf::get_or(content, "caf.scheduler.policy", "");
}

#else

/// Sets the scheduler's policy.
inline void set_policy(caf::actor_system_config& cfg,
                       const std::string& policy) {
  cfg.set("scheduler.policy", caf::atom_from_string(policy));
}

/// Returns the scheduler's policy; nothing if it is not set.
inline std::string policy_of(const caf::settings& content) {
  return caf::to_string(
    caf::get_or(content, "scheduler.policy", caf::atom("")));
}

inline std::string policy_of(const caf::actor_system_config& cfg) {
  return policy_of(content(cfg));
}

#endif

// -- actors -------------------------------------------------------------------

/// Returns the name of an actor in a system's registry.
#if CAF_MAJOR_VERSION >= 1
inline std::string registered_name(const std::string& x) {
  return x;
}
#else
inline caf::atom_value registered_name(const std::string& x) {
  return caf::atom_from_string(x);
}
#endif

/// Returns the state of a stateful actor.
template <class Self>
auto& state_of(Self& self) {
  if constexpr (requires { self->state(); })
    return self->state();
  else
    return self->state;
}

// -- modules ------------------------------------------------------------------

/// The base class of modules of an actor system.
#if CAF_MAJOR_VERSION >= 1
using system_module = caf::actor_system_module;
#else
using system_module = caf::actor_system::module;
#endif

} // namespace test

// -- messages -----------------------------------------------------------------

// CAF 1 identifies the types of messages by numbers, which must be declared
// before code that makes or handles such messages. Other versions ignore this.
//
//   TEST_MESSAGES_BEGIN(my_messages)
//   TEST_MESSAGE(my_messages, (std::vector<int>))
//   TEST_MESSAGES_END(my_messages)
//
// The types must be declared before. A block must be outside of namespaces. A
// program needs only one.

#if CAF_MAJOR_VERSION >= 1
#  define TEST_MESSAGES_BEGIN(block) \
    CAF_BEGIN_TYPE_ID_BLOCK(block, caf::first_custom_type_id)
#  define TEST_MESSAGE(block, type) CAF_ADD_TYPE_ID(block, type)
#  define TEST_MESSAGES_END(block)                                     \
    CAF_END_TYPE_ID_BLOCK(block)                                       \
    namespace test {                                                   \
    inline const bool knows_##block                                    \
      = (caf::init_global_meta_objects<caf::id_block::block>(), true); \
    }
#else
#  define TEST_MESSAGES_BEGIN(block)
#  define TEST_MESSAGE(block, type)
#  define TEST_MESSAGES_END(block)
#endif
