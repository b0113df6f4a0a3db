// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/graph_description.hpp"
#include "drawing/label.hpp"

#include <string>
#include <vector>

namespace caf::rosia::detail {

/// Returns a remark on the kind of a reaction; empty for none.
inline std::string remark_on(const graph_description::reaction& x) {
  using enum graph_description::reaction_kind;
  switch (x.kind) {
    case eager:
      return "eager";
    case startup:
      return "at the start";
    case external:
      return "from outside";
    default:
      return {};
  }
}

/// Returns the labels of the members that trigger a reaction.
inline std::vector<std::string> causes_of(
  const graph_description::node& node,
  const graph_description::reaction& reaction) {
  std::vector<std::string> result;
  for (auto [kind, i] : reaction.triggers)
    result.push_back(
      kind == graph_description::trigger_kind::input
        ? label_of(node.inputs[i].name)
        : "action " + label_of(node.actions[i].name));
  return result;
}

} // namespace caf::rosia::detail
