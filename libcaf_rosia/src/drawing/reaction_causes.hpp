// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/graph_description.hpp"
#include "drawing/label.hpp"

#include <string>
#include <vector>

namespace caf::rosia::detail {

/// What a reaction is besides its name; empty for nothing.
inline std::string remark_on(const graph_description::reaction& x) {
  if (x.trigger)
    return "from outside";
  if (x.startup)
    return "at the start";
  return x.eager ? "eager" : "";
}

/// The inputs and actions that start a reaction, as they are shown.
inline std::vector<std::string> causes_of(
  const graph_description::node& node,
  const graph_description::reaction& reaction) {
  std::vector<std::string> result;
  for (auto i : reaction.triggers)
    result.push_back(label_of(node.inputs[i].name));
  for (auto i : reaction.actions)
    result.push_back("action " + label_of(node.actions[i].name));
  return result;
}

} // namespace caf::rosia::detail
