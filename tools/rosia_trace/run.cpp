// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_trace/run.hpp"

namespace rosia_trace {

value_digest digest_of(const event& x) {
  return {x.digest, x.has(member::digest)};
}

std::string to_string(value_digest x) {
  if (!x.known)
    return "null";
  constexpr std::string_view hex = "0123456789abcdef";
  std::string result(18, '"');
  for (auto i = 16u; i > 0; --i) {
    result[i] = hex[x.digest & 15];
    x.digest >>= 4;
  }
  return result;
}

void run::seal() {
  declared.seal(rules);
  nodes.resize(declared.nodes().size());
  inputs.resize(declared.inputs().size());
  outputs.resize(declared.outputs().size());
  reactions.resize(declared.reactions().size());
  actions.resize(declared.actions().size());
  watchdogs.resize(declared.actions().size());
  connections.resize(declared.connections().size());
}

std::string run::name_of(index node) const {
  return "node " + declared.node_name(node);
}

std::string run::here(index node) const {
  return name_of(node) + " at " + to_string(nodes[node].now);
}

void run::require_tag(rule which, index node, const event& x) {
  const auto& self = nodes[node];
  rules.require(which, self.executed && self.now == x.tag, [&] {
    auto result = name_of(node) + " has " + quoted(to_string(x.kind))
                  + " with tag " + to_string(x.tag);
    return self.executed ? result + " while it executes " + to_string(self.now)
                         : result + " before it executes any tag";
  });
}

std::string at_line(std::size_t line) {
  return "line " + std::to_string(line);
}

} // namespace rosia_trace
