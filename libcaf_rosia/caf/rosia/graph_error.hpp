// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <stdexcept>

namespace caf::rosia {

/// A mistake in the graph. The message names the ports, and says what to do.
class graph_error : public std::invalid_argument {
public:
  using std::invalid_argument::invalid_argument;
};

} // namespace caf::rosia
