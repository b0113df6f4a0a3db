// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/fwd.hpp>

#include <memory>

namespace caf::rosia::detail {

/// An object that follows how the destructor of an actor system stops CAF.
class stop_observer {
public:
  /// Called when CAF has stopped.
  virtual ~stop_observer();

  /// Called by any thread when CAF begins to stop, because all actors have
  /// ended.
  virtual void begin() = 0;
};

/// Adds an observer to an actor system. If the system has one already, the new
/// one is destroyed at once.
void observe_stop(caf::actor_system& sys,
                  std::shared_ptr<stop_observer> observer);

} // namespace caf::rosia::detail
