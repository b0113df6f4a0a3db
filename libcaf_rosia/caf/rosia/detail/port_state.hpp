// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/small_list.hpp"
#include "caf/rosia/detail/value.hpp"
#include "caf/rosia/logical_time.hpp"

#include <cstdint>

namespace caf::rosia::engine {

class node;
class reaction_code;
struct direct_route;

/// An input port's state. Lives in the user's port.
struct input {
  /// This tag's values in the order in which their connections were declared;
  /// once the tag is over, those that came last.
  small_list<value> values;

  /// The code of the only reaction that the port triggers; null if there are
  /// several or none, or if the node's `body` has to run it.
  reaction_code* code = nullptr;

  /// Tells whether a value came at the current tag.
  bool present = false;

  /// The reactions that the port triggers, ascending.
  small_list<std::uint32_t> reactions;
};

/// An output port's state. Lives in the user's port.
struct output {
  /// The node, once it is wired.
  node* owner = nullptr;

  /// The port's connections are contiguous among the node's.
  std::uint32_t first = 0;
  std::uint32_t last = 0;

  /// The tag of the last write; `never` before the first.
  logical_time written = never;

  /// What the user promised: nothing is written before.
  logical_time promised{};

  /// The reaction that wrote it.
  std::uint32_t writer = 0;

  /// How many pieces of the node's code had begun then; the last bits of that.
  std::uint32_t piece = 0;

  /// The port's index within its node.
  std::uint32_t index = 0;

  /// Where its connections lead to, if all of them stay within the node's group
  /// and have no delay, and nobody looks on; null if not.
  const direct_route* routes = nullptr;
};

} // namespace caf::rosia::engine
