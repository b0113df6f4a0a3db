// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/value.hpp"

namespace caf::rosia::engine {

class node;

/// The code of a reaction, as the engine runs it.
class reaction_code {
public:
  virtual ~reaction_code() = default;

  /// Runs the code until it ends or yields.
  /// @param content is null.
  virtual void run(node& owner, const value& content) = 0;
};

} // namespace caf::rosia::engine
