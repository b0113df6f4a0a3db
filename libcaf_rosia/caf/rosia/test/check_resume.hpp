// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/application.hpp"
#include "caf/rosia/options.hpp"

#include <caf/fwd.hpp>

#include <cstddef>
#include <functional>

namespace caf::rosia::test {

/// Checks that an application resumes from its checkpoints correctly. Runs it
/// up to `until` as fast as possible. Then, for several earlier tags, runs it
/// up to that tag, and from its checkpoint to the end. Compares what all nodes
/// read, ran and wrote. This finds member variables that should be a
/// `rosia::state`, if they matter before `until`.
/// @param sys runs the applications, one after the other.
/// @param build creates and connects the nodes, in the same way each time. They
///   must not take values from outside or read clocks.
/// @param checkpoints the number of tags to resume from.
/// @throws std::runtime_error that names the checkpoint, the first node that
/// does not continue as before, and the difference. Also the exceptions of
/// `run()`, for example if a node does not declare its state.
/// @throws std::invalid_argument without `until`.
void check_resume(
  caf::actor_system& sys, const std::function<void(application&)>& build,
  optional_tag until, std::size_t checkpoints = 10);

} // namespace caf::rosia::test
