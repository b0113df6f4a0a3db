// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/application.hpp"
#include "caf/rosia/options.hpp"

#include <caf/fwd.hpp>

#include <cstddef>
#include <functional>

namespace caf::rosia::test {

/// Shows that an application continues from its checkpoints as if nothing had
/// happened. Runs it up to `until` as fast as possible; then, for several tags
/// before that, up to the tag, and from its checkpoint to the end. Compares
/// what all nodes have read, run and written. So it finds member variables that
/// should be a `rosia::state`, as far as they matter within that time.
/// @param sys runs the applications, one after the other.
/// @param build creates and connects the nodes, the same ones each time. They
///        must not take values from outside, or read clocks.
/// @param checkpoints how many tags to continue from.
/// @throws std::runtime_error naming the first node that does not continue as
///         before, the checkpoint, and what it does instead. What `run()`
///         throws, for example if a node does not say what its state is.
/// @throws std::invalid_argument without `until`.
void check_resume(
  caf::actor_system& sys, const std::function<void(application&)>& build,
  optional_tag until, std::size_t checkpoints = 10);

} // namespace caf::rosia::test
