// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/value.hpp"
#include "caf/rosia/logical_time.hpp"

#include <cstdint>

namespace caf::rosia::engine {

/// Learns of the values that pass the ports of a node. Called from the threads
/// that the node runs on, one call after the other.
class port_log {
public:
  virtual ~port_log();

  /// A value is present on an input.
  virtual void arrived(std::uint32_t input, logical_time tag, const value& x)
    = 0;

  /// The node's code has written an output.
  virtual void written(std::uint32_t output, logical_time tag, const value& x)
    = 0;
};

} // namespace caf::rosia::engine
