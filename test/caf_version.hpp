// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Names for parts of CAF's API that differ between versions. All other code of
// the tests is the same for all versions, as is users' code.
//
// CAF 1 identifies the types of messages by numbers, which must be declared
// before code that makes or handles such messages. Other versions ignore this.
//
//   TEST_MESSAGES_BEGIN(my_messages)
//   TEST_MESSAGE(my_messages, (std::vector<int>))
//   TEST_MESSAGES_END(my_messages)
//
// The types must be declared before. A block must be outside of namespaces. A
// program needs only one.

#pragma once

#include "caf_names.hpp"

#include <caf/actor_system_config.hpp>
#include <caf/config_value.hpp>
#include <caf/settings.hpp>

#include <string>
#include <utility>

namespace test {

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

/// Sets the scheduler's policy.
inline void set_policy(caf::actor_system_config& cfg,
                       const std::string& policy) {
  set_caf_option(cfg, "scheduler.policy", to_word(policy));
}

/// Returns the scheduler's policy; nothing if it is not set.
inline std::string policy_of(const caf::settings& content) {
  auto policy = caf::get_if<caf_word>(&content, caf_option("scheduler.policy"));
  return policy ? word_text(*policy) : "";
}

inline std::string policy_of(const caf::actor_system_config& cfg) {
  return policy_of(content(cfg));
}

// -- actors -------------------------------------------------------------------

/// Returns the state of a stateful actor.
template <class Self>
auto& state_of(Self& self) {
  if constexpr (requires { self->state(); })
    return self->state();
  else
    return self->state;
}

} // namespace test
