// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "distributed/process_messages.hpp"

#include <optional>
#include <string>
#include <vector>

namespace caf::rosia::detail {

/// Decides whether the processes of an application agree on the graph, and what
/// each of them runs. Has no side effects. Tests:
/// test/distributed/joining_test.cpp.
class joining {
public:
  /// @param processes the names, that of the coordinator first.
  explicit joining(std::vector<std::string> processes);

  /// Adds a process. @returns why it may not join; empty if it may.
  /// @pre Each field of the request is valid.
  std::string accept(join_request x);

  /// Returns whether all processes joined.
  bool complete() const noexcept;

  /// Returns the names of the missing processes.
  std::vector<std::string> missing() const;

  /// Returns the merged declarations of all processes, or the problem if they
  /// do not match. The session and the options are not set.
  /// @pre All processes joined.
  join_reply agree() const;

private:
  std::vector<std::string> processes_;
  std::vector<std::optional<join_request>> requests_; // by process
};

} // namespace caf::rosia::detail
