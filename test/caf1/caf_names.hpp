// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Names for parts of CAF's API that differ between versions: CAF 1.

#pragma once

#include <caf/actor_system_module.hpp>
#include <caf/init_global_meta_objects.hpp>
#include <caf/type_id.hpp>

#include <string>

namespace test {

/// The initialization that CAF 1 requires at the beginning of main().
inline const bool knows_messages_of_caf
  = (caf::core::init_global_meta_objects(), true);

/// Whether CAF is 1 or later, for features or texts of only one version.
constexpr bool caf_is_1 = true;

/// A word: the value of an option, or the name of an actor in a registry.
using caf_word = std::string;

inline caf_word to_word(const std::string& x) {
  return x;
}

inline std::string word_text(const caf_word& x) {
  return x;
}

/// The base class of modules of an actor system.
using system_module = caf::actor_system_module;

} // namespace test

#define TEST_MESSAGES_BEGIN(block) \
  CAF_BEGIN_TYPE_ID_BLOCK(block, caf::first_custom_type_id)
#define TEST_MESSAGE(block, type) CAF_ADD_TYPE_ID(block, type)
#define TEST_MESSAGES_END(block)                                     \
  CAF_END_TYPE_ID_BLOCK(block)                                       \
  namespace test {                                                   \
  inline const bool knows_##block                                    \
    = (caf::init_global_meta_objects<caf::id_block::block>(), true); \
  }
