// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/actor_names.hpp"
#include "shutdown/shutdown_phase.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

namespace caf::rosia::detail {

/// What `adopt_all` does not see, for messages.
inline constexpr const char* unseen_actors
  = "nodes of an application, scoped actors, or what was spawned by code that "
    "is compiled without CAF_ENABLE_ACTOR_PROFILER, or by a system whose "
    "config "
    "has no profiler";

class shutdown_core;

/// What reports call an actor: "name#id", or "class#id".
std::string shown_name(const named_actor& x);

/// The actors that nobody has adopted, and their adoption on request: when the
/// shutdown begins, again when the phase begins in which they end, and from
/// then on when they are spawned. Before that, their program may adopt them
/// itself. All functions may be called from any thread; they take the
/// shutdown's lock.
class stray_actors {
public:
  explicit stray_actors(shutdown_core& core) : core_(core) {
    // nop
  }

  /// Requests their adoption, which happens now if the shutdown has begun.
  /// @throws std::logic_error if nobody knows the actors.
  /// @throws std::invalid_argument if there is no such phase.
  void want(const std::string& phase);

  /// The shutdown begins.
  void begin();

  /// A phase is about to begin.
  void enter(shutdown_phase& phase);

  /// Adopts no more of those that are spawned.
  void close();

  /// @param alive how many actors the system counts.
  /// @returns how many of them are not known by name.
  std::size_t count_unseen(std::size_t alive) const;

private:
  /// Hears of actors that are spawned.
  void subscribe();

  void note_spawned(const named_actor& x);

  /// @param at_once see `participant_list::add_stray`.
  void adopt_living(bool at_once);

  void adopt(const named_actor& x, shutdown_phase& phase, bool at_once);

  void log_unseen() const;

  shutdown_core& core_;
  mutable std::mutex mutex_;        // comes before that of the shutdown
  shutdown_phase* phase_ = nullptr; // null if it was not requested
  bool has_begun_ = false;          // the shutdown
  std::optional<std::uint64_t> subscription_;
};

} // namespace caf::rosia::detail
