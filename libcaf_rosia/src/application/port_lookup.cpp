// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "application/port_lookup.hpp"

#include "base/suggestion.hpp"
#include "caf/rosia/graph_error.hpp"
#include "caf/rosia/port.hpp"
#include "nodes/node_access.hpp"

#include <algorithm>
#include <vector>

namespace caf::rosia::detail {

namespace {

template <class Ports>
auto find_name(const Ports& ports, std::string_view name) {
  return std::find_if(ports.begin(), ports.end(), [&](auto* port) {
    return port->name() == name;
  });
}

/// @param others the node's ports of the other kind.
template <class Ports, class Others>
std::uint32_t find(const Ports& ports, const char* kind, const Others& others,
                   const char* other_kind, std::string_view path) {
  auto name = path.substr(path.rfind('.') + 1);
  if (auto i = find_name(ports, name); i != ports.end())
    return (*i)->index();
  if (find_name(others, name) != others.end())
    throw graph_error(
      "'" + std::string{path} + "' is an " + other_kind + ", not an " + kind
      + "; application::connect takes an output first, then an input");
  std::vector<std::string> names;
  for (auto* port : ports)
    names.push_back(port->name());
  throw graph_error(
    std::string{"there is no "} + kind + " '" + std::string{path} + "'"
    + suggestion(name, names)
    + " (connections lead from an output to an input)");
}

} // namespace

std::uint32_t find_output(node& owner, std::string_view path) {
  return find(node_access::outputs(owner), "output", node_access::inputs(owner),
              "input", path);
}

std::uint32_t find_input(node& owner, std::string_view path) {
  return find(node_access::inputs(owner), "input", node_access::outputs(owner),
              "output", path);
}

std::uint32_t find_port_of(
  const std::string& name, const member_port& port, void* object) {
  try {
    return port.index(object, port);
  } catch (const graph_error& e) {
    throw graph_error("node '" + name + "': " + e.what());
  }
}

void require_same_type(const std::string& from, const std::string& from_type,
                       const std::string& to, const std::string& to_type) {
  if (from_type != to_type)
    throw graph_error(
      "output '" + from + "' of type " + from_type + " is connected to input '"
      + to + "' of type " + to_type
      + "; both have to be the same, put a node between them "
        "that converts");
}

} // namespace caf::rosia::detail
