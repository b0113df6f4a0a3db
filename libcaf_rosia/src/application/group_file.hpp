// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/node_id.hpp"
#include "runtime/node_directory.hpp"

#include <istream>
#include <string>
#include <vector>

namespace caf::rosia::detail {

/// The content of a file of groups.
struct declared_groups {
  /// The groups of nodes of this process.
  std::vector<std::vector<engine::node_id>> groups;

  /// Warnings about probable mistakes.
  std::vector<std::string> warnings;
};

/// Reads a file for the option `groups`. Each line has the names of a group's
/// nodes, with commas between them. A name with `*` or `?` stands for all nodes
/// that match it, except those that were listed before. Lines that start with
/// `#` are comments.
/// @param file its name, for messages.
/// @throws graph_error if there is no node of a name, or if it is listed twice.
declared_groups read_groups(
  std::istream& from, const std::string& file, const node_directory& nodes);

/// Opens and reads the file.
/// @throws std::runtime_error if the file cannot be read.
declared_groups read_groups(
  const std::string& file, const node_directory& nodes);

} // namespace caf::rosia::detail
