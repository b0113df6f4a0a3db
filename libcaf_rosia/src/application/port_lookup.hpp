// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/node.hpp"
#include "caf/rosia/port_ref.hpp"

#include "engine/topology.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace caf::rosia::detail {

// Finds the ports of a node by the names or members that were given to a
// connection.

/// Returns the name of a channel, or of a bank: "in" for "in[2]". Returns other
/// names as they are.
std::string_view without_index(std::string_view name) noexcept;

/// Returns an output, or all outputs of a channel.
/// @param path of the form "node.port".
/// @throws graph_error if the node has no such output.
port_indices find_outputs(node& owner, std::string_view path);

/// @copydoc find_outputs
port_indices find_inputs(node& owner, std::string_view path);

/// Returns the indices of the ports that are given as a member.
/// @param name the node's name, for messages.
/// @param object the node, as an object of its class.
/// @throws graph_error if a port does not exist.
port_indices find_ports_of(
  const std::string& name, const member_port& port, void* object);

/// Returns the index of a port that is given as a member.
/// @param name the node's name, for messages.
/// @param object the node, as an object of its class.
/// @throws graph_error if there is no port.
std::uint32_t find_port_of(
  const std::string& name, const member_port& port, void* object);

/// @throws graph_error that names both ports and their types.
[[noreturn]] void refuse_different_types(
  const std::string& from, const std::string& from_type, const std::string& to,
  const std::string& to_type);

/// Checks that the ports of a connection have the same type.
/// @param names has `path(node, output, index)`, a port's name for messages.
/// @param type_at returns the name of a port's type, with the same parameters.
/// @throws graph_error if the types differ.
template <class Names, class TypeAt>
void require_same_type(const engine::connection_spec& x, const Names& names,
                       TypeAt&& type_at) {
  auto from = type_at(x.source, true, x.output);
  auto to = type_at(x.target, false, x.input);
  if (from != to)
    refuse_different_types(
      names.path(x.source, true, x.output), from,
      names.path(x.target, false, x.input), to);
}

} // namespace caf::rosia::detail
