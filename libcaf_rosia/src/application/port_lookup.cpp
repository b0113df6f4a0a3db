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

/// Returns the port with this name, or all ports of the channel.
template <class Ports>
port_indices find_name(const Ports& ports, std::string_view name) {
  port_indices result;
  for (auto* port : ports)
    if (port->name() == name) {
      result.make_only() = port->index();
      return result;
    } else if (without_index(port->name()) == name) {
      result.push_back(port->index());
    }
  return result;
}

/// @param others the node's ports of the other kind.
template <class Ports, class Others>
port_indices find(const Ports& ports, const char* kind, const Others& others,
                  const char* other_kind, std::string_view path) {
  auto name = path.substr(path.rfind('.') + 1);
  if (auto result = find_name(ports, name); !result.empty())
    return result;
  if (!find_name(others, name).empty())
    throw graph_error(
      "'" + std::string{path} + "' is an " + other_kind + ", not an " + kind
      + "; application::connect takes an output first, then an input");
  std::vector<std::string> names;
  for (auto* port : ports)
    if (auto channel = without_index(port->name());
        names.empty() || names.back() != channel)
      names.emplace_back(channel);
  throw graph_error(
    std::string{"there is no "} + kind + " '" + std::string{path} + "'"
    + suggestion(name, names)
    + " (connections lead from an output to an input)");
}

} // namespace

std::string_view without_index(std::string_view name) noexcept {
  auto bracket = name.rfind('[');
  if (bracket == std::string_view::npos || !name.ends_with(']'))
    return name;
  auto index = name.substr(bracket + 1, name.size() - bracket - 2);
  auto is_number
    = !index.empty()
      && index.find_first_not_of("0123456789") == std::string_view::npos;
  return is_number ? name.substr(0, bracket) : name;
}

port_indices find_outputs(node& owner, std::string_view path) {
  return find(node_access::outputs(owner), "output", node_access::inputs(owner),
              "input", path);
}

port_indices find_inputs(node& owner, std::string_view path) {
  return find(node_access::inputs(owner), "input", node_access::outputs(owner),
              "output", path);
}

port_indices find_ports_of(
  const std::string& name, const member_port& port, void* object) {
  try {
    port_indices result;
    port.list(object, port, result);
    return result;
  } catch (const graph_error& e) {
    throw graph_error("node '" + name + "': " + e.what());
  }
}

std::uint32_t find_port_of(
  const std::string& name, const member_port& port, void* object) {
  return find_ports_of(name, port, object)[0];
}

void refuse_different_types(
  const std::string& from, const std::string& from_type, const std::string& to,
  const std::string& to_type) {
  throw graph_error(
    "output '" + from + "' of type " + from_type + " is connected to input '"
    + to + "' of type " + to_type
    + "; both have to be the same, put a node between them that converts");
}

} // namespace caf::rosia::detail
