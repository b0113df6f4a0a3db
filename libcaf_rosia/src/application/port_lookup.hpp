// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/node.hpp"
#include "caf/rosia/port_ref.hpp"

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

/// @throws graph_error that names both ports if the types differ.
void require_same_type(const std::string& from, const std::string& from_type,
                       const std::string& to, const std::string& to_type);

} // namespace caf::rosia::detail
