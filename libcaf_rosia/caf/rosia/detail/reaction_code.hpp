// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

namespace caf::rosia::engine {

class node;

/// The code of a reaction, as the engine runs it.
class reaction_code {
public:
  virtual ~reaction_code() = default;

  /// Runs the code until it ends or yields.
  virtual void run(node& owner) = 0;
};

} // namespace caf::rosia::engine
