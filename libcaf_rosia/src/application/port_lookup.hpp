// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/node.hpp"
#include "caf/rosia/port_ref.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace caf::rosia::detail {

// How the ports of a node are found by the names and members that connections
// are given by.

/// @param path "node.port".
/// @throws graph_error if the node has no such output.
std::uint32_t find_output(node& owner, std::string_view path);

/// @param path "node.port".
/// @throws graph_error if the node has no such input.
std::uint32_t find_input(node& owner, std::string_view path);

/// The number of a port that is a member.
/// @param name the node's, for messages.
/// @param object the node as its own class.
/// @throws graph_error if there is no port.
std::uint32_t find_port_of(
  const std::string& name, const member_port& port, void* object);

/// @throws graph_error naming both ports, if the types differ.
void require_same_type(const std::string& from, const std::string& from_type,
                       const std::string& to, const std::string& to_type);

} // namespace caf::rosia::detail
