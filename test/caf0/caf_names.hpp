// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Names for parts of CAF's API that differ between versions: CAF 0.17.

#pragma once

#include <caf/actor_system.hpp>
#include <caf/atom.hpp>

#include <string>

namespace test {

/// Whether CAF is 1 or later, for features or texts of only one version.
constexpr bool caf_is_1 = false;

/// A word: the value of an option, or the name of an actor in a registry.
using caf_word = caf::atom_value;

inline caf_word to_word(const std::string& x) {
  return caf::atom_from_string(x);
}

inline std::string word_text(caf_word x) {
  return caf::to_string(x);
}

/// The base class of modules of an actor system.
using system_module = caf::actor_system::module;

} // namespace test

#define TEST_MESSAGES_BEGIN(block)
#define TEST_MESSAGE(block, type)
#define TEST_MESSAGES_END(block)
