// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/node_id.hpp"
#include "runtime/node_directory.hpp"

#include <istream>
#include <string>
#include <vector>

namespace caf::rosia::detail {

/// What a file of groups says.
struct declared_groups {
  /// The nodes of this process that are executed as one, group by group.
  std::vector<std::vector<engine::node_id>> groups;

  /// What seems to be wrong, in words.
  std::vector<std::string> warnings;
};

/// Reads a file for the option `groups`: in each line the names of the nodes of
/// a group, with commas between them. A name may have `*` and `?`, and stands
/// for all nodes that match it, but those that were named before. Lines that
/// begin with `#` are comments.
/// @param file its name, for messages.
/// @throws graph_error if there is no node of a name, or if it is named twice.
declared_groups read_groups(
  std::istream& from, const std::string& file, const node_directory& nodes);

/// @throws std::runtime_error if the file cannot be read.
declared_groups read_groups(
  const std::string& file, const node_directory& nodes);

} // namespace caf::rosia::detail
