// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/shutdown/actor_names.hpp"
#include "shutdown/shutdown_phase.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

namespace caf::rosia::detail {

/// Actors that `adopt_all` does not see, for messages.
inline constexpr const char* unseen_actors
  = "nodes of an application, scoped actors, or what was spawned by code that "
    "is compiled without CAF_ENABLE_ACTOR_PROFILER, or by a system whose "
    "config "
    "has no profiler";

class shutdown_core;

/// Returns the name of an actor in reports: "name#id", or "class#id".
std::string shown_name(const named_actor& x);

/// The actors that were not adopted, and their adoption on request. They are
/// adopted when the shutdown begins, again when their phase begins, and from
/// then on when they are spawned. Before that, the program may adopt them. All
/// functions may be called from any thread. They take the shutdown's lock.
/// Tests: test/shutdown/adopt_all_test.cpp.
class stray_actors {
public:
  explicit stray_actors(shutdown_core& core) : core_(core) {
    // nop
  }

  /// Requests their adoption, which happens now if the shutdown began.
  /// @throws std::logic_error if the actors are not known.
  /// @throws std::invalid_argument if there is no such phase.
  void want(const std::string& phase);

  /// Called when the shutdown begins.
  void begin();

  /// Called before a phase begins.
  void enter(shutdown_phase& phase);

  /// Stops adopting spawned actors.
  void close();

  /// @param alive the number of actors of the system.
  /// @returns how many of them have no known name.
  std::size_t count_unseen(std::size_t alive) const;

private:
  /// Subscribes to spawned actors.
  void subscribe();

  void note_spawned(const named_actor& x);

  /// @param at_once see `participant_list::add_stray`.
  void adopt_living(bool at_once);

  void adopt(const named_actor& x, shutdown_phase& phase, bool at_once);

  void log_unseen() const;

  shutdown_core& core_;
  mutable std::mutex mutex_;        // locked before the shutdown's lock
  shutdown_phase* phase_ = nullptr; // null without a request
  bool has_begun_ = false;          // whether the shutdown began
  std::optional<std::uint64_t> subscription_;
};

} // namespace caf::rosia::detail
