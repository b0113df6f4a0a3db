// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/abstract_actor.hpp>
#include <caf/actor_addr.hpp>
#include <caf/fwd.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace caf::rosia {

namespace detail {

class actor_registry;

} // namespace detail

/// A living actor.
struct named_actor {
  caf::actor_id id = caf::invalid_actor_id;

  /// The result of its `name()` when it was spawned: after its constructor,
  /// before its `make_behavior`.
  std::string name = {};

  /// Its class, for actors that do not override `name()`: "store_actor",
  /// "caf::stateful_actor<store_state, caf::event_based_actor>".
  std::string type = {};

  /// The actor that spawned it; 0 if no actor did, and always with CAF 1, which
  /// does not report it.
  caf::actor_id parent = caf::invalid_actor_id;

  /// Whether it was spawned as `hidden`. If so, `registry().running()` does not
  /// count it, and the actor system's destructor does not wait for it.
  bool hidden = false;

  /// Its address, which does not keep it alive. `caf::actor_cast` converts it
  /// to a handle, which is empty if the actor has ended.
  caf::actor_addr address = {};
};

/// A list of the living actors of a system.
///
/// CAF has no such list. It reports each spawned actor to a profiler, but only
/// from code that is compiled with `CAF_ENABLE_ACTOR_PROFILER`; the CMake
/// target `caf_rosia::actor_names` defines that. Actors that other code spawns
/// are not listed. Attach the list to the system's config. It must outlive the
/// system, for instance as a member of the config:
///
/// ~~~
/// struct my_config : caf::rosia::config {
///   my_config() {
///     names.attach_to(*this);
///   }
///
///   caf::rosia::actor_names names;
/// };
/// ~~~
///
/// CAF 1 has no profiler. Instead, the list creates each actor's mailbox, and
/// adds the actor when it first reads its mailbox, whatever code spawned it.
/// This is after the actor's `make_behavior`, and subscribers are called in the
/// actor's thread.
///
/// The spawn and the end of an actor each lock a mutex and change one entry of
/// a hash map. Actors may outlive the list. Use one list for each actor system.
class actor_names {
public:
  // -- constructors, destructors, and assignment operators --------------------

  actor_names();

  actor_names(const actor_names&) = delete;

  actor_names& operator=(const actor_names&) = delete;

  ~actor_names();

  /// Lists the actors of systems that are constructed with this config. With
  /// CAF 0.17, this sets the config's `profiler`.
  void attach_to(caf::actor_system_config& cfg);

  // -- properties -------------------------------------------------------------

  /// Returns the living actors, in the order in which they were spawned. Any
  /// thread may call this. An actor is removed after it notified its monitors
  /// of its end, which is after `registry().running()` stops counting it.
  std::vector<named_actor> living() const;

  // -- subscribers ------------------------------------------------------------

  /// Calls `subscriber` for each actor that is spawned from now on: after it
  /// was listed, before it runs, and in the thread that spawns it. The
  /// subscriber must not throw, block, or spawn actors of this system.
  /// @returns a number for `unsubscribe`.
  std::uint64_t subscribe(
    std::function<void(const named_actor&)> subscriber) const;

  /// Removes a subscriber. Calls of it in other threads may still be running
  /// when this returns.
  void unsubscribe(std::uint64_t number) const;

private:
  // Shared with the actors, which may outlive this object.
  std::shared_ptr<detail::actor_registry> registry_;
};

} // namespace caf::rosia
