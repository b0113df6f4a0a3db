// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "distributed/process_messages.hpp"

#include <optional>
#include <string>
#include <vector>

namespace caf::rosia::detail {

/// How the processes of an application come to agree on what they run: decides,
/// and does nothing else.
class joining {
public:
  /// @param processes that of the coordinator first.
  explicit joining(std::vector<std::string> processes);

  /// Takes a process in. @returns why not; empty if it is welcome.
  /// @pre Each field of the request is valid.
  std::string accept(join_request x);

  /// Tells whether all are there.
  bool complete() const noexcept;

  /// Those that are not.
  std::vector<std::string> missing() const;

  /// What all have told, as all have to know it; `problem` tells if it does not
  /// fit together. The session and the options are not filled in.
  /// @pre All are there.
  join_reply agree() const;

private:
  std::vector<std::string> processes_;
  std::vector<std::optional<join_request>> requests_; // by process
};

} // namespace caf::rosia::detail
