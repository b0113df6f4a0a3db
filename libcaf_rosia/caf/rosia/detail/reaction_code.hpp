// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

namespace caf::rosia::engine {

class deadline_code;
class node;

/// The code of a reaction, as the engine runs it.
class reaction_code {
public:
  virtual ~reaction_code() = default;

  /// Runs the code until it ends or yields.
  virtual void run(node& owner) = 0;

  /// Returns the code that checks the reaction's deadline; null if it has none.
  virtual deadline_code* deadline() noexcept {
    return nullptr;
  }
};

} // namespace caf::rosia::engine
