// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/fwd.hpp>
#include <caf/io/network/default_multiplexer.hpp>
#include <caf/resumable.hpp>

namespace caf::rosia::detail {

/// CAF's multiplexer with a choice of the jobs that wait for the next pass of
/// the loop.
class multiplexer_base : public caf::io::network::default_multiplexer {
public:
  /// The type of the constructor's argument.
  using system_handle = caf::actor_system*;

  using default_multiplexer::default_multiplexer;

  void exec_later(caf::resumable* job) final {
    if (!take(job))
      default_multiplexer::exec_later(job);
  }

private:
  /// Returns whether it takes a job and the reference to it.
  virtual bool take(caf::resumable* job) = 0;
};

} // namespace caf::rosia::detail
