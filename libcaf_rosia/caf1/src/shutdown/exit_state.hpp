// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>

namespace caf::rosia::detail {

/// The state of an observer's requests, for the thread that runs the actor.
class exit_state {
protected:
  std::uint32_t postponed_ = 0; // requests, until an answer arrives
  bool exits_ = false;          // handles an exit message of this object
  bool has_ended_ = false;      // while it handles that message
};

} // namespace caf::rosia::detail
