// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/value.hpp"
#include "caf/rosia/logical_time.hpp"

#include <cstdint>

namespace caf::rosia::engine {

/// Receives the values that pass the ports of a node. Called from the threads
/// that run the node, one call at a time. Tests: test/recording.
class port_log {
public:
  virtual ~port_log();

  /// Receives a value that is present on an input.
  virtual void arrived(std::uint32_t input, logical_time tag, const value& x)
    = 0;

  /// Receives a value that the node's code wrote to an output.
  virtual void written(std::uint32_t output, logical_time tag, const value& x)
    = 0;
};

} // namespace caf::rosia::engine
