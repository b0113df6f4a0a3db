// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/abstract_actor.hpp>
#include <caf/actor_addr.hpp>
#include <caf/actor_profiler.hpp>
#include <caf/fwd.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace caf::rosia {

/// An actor that is alive.
struct named_actor {
  caf::actor_id id = caf::invalid_actor_id;

  /// The result of its `name()` when it was spawned: between its constructor
  /// and its `make_behavior`.
  std::string name = {};

  /// Its class, which tells more where `name()` was not overridden:
  /// "store_actor", "caf::stateful_actor<store_state, caf::event_based_actor>".
  std::string type = {};

  /// The actor that spawned it; 0 if none did.
  caf::actor_id parent = caf::invalid_actor_id;

  /// Whether it was spawned as `hidden`: then neither `registry().running()`
  /// counts it, nor does the actor system's destructor wait for it.
  bool hidden = false;

  /// Its address, which does not keep it alive: `caf::actor_cast` makes a
  /// handle of it, which is empty if the actor has ended.
  caf::actor_addr address = {};
};

/// Knows the actors of a system that are alive.
///
/// CAF has no such list. It tells a profiler about every actor that is spawned,
/// but only from code that is compiled with `CAF_ENABLE_ACTOR_PROFILER`; the
/// CMake target `caf_rosia::actor_names` does that. Other code spawns as
/// always, and its actors are not listed. Set it as the `profiler` of the
/// system's config, and let it outlive the system, for instance as a member of
/// the config:
///
/// ~~~
/// struct my_config : caf::rosia::config {
///   my_config() {
///     profiler = &names;
///   }
///
///   caf::rosia::actor_names names;
/// };
/// ~~~
///
/// Each spawn and each end of an actor takes a lock and changes one entry of a
/// hash map. Actors that end after it was destroyed do no harm. Give each actor
/// system its own.
class actor_names : public caf::actor_profiler {
public:
  // -- constructors, destructors, and assignment operators --------------------

  actor_names();

  actor_names(const actor_names&) = delete;

  actor_names& operator=(const actor_names&) = delete;

  ~actor_names() override;

  // -- properties -------------------------------------------------------------

  /// The actors that are alive, in the order in which they were spawned. From
  /// any thread. An actor is removed as soon as it has told its monitors that
  /// it has ended, which is after `registry().running()` stops counting it.
  std::vector<named_actor> living() const;

  // -- subscribers ------------------------------------------------------------

  /// Has `subscriber` called for each actor that is spawned from now on: behind
  /// its entry in the list, before it runs, and in the thread that spawns it.
  /// It must neither throw nor block, nor spawn actors of this system.
  /// @returns a number for `unsubscribe`.
  std::uint64_t subscribe(
    std::function<void(const named_actor&)> subscriber) const;

  /// Calls in other threads may still be under way when it returns.
  void unsubscribe(std::uint64_t number) const;

  // -- what CAF tells ---------------------------------------------------------

  /// From any thread. Calls `self.name()`. No other thread does so at that
  /// time, because the actor has not been launched yet.
  void add_actor(const caf::local_actor& self,
                 const caf::local_actor* parent) override;

  /// Does nothing, like all functions below.
  void remove_actor(const caf::local_actor& self) override;

  void before_processing(const caf::local_actor& self,
                         const caf::mailbox_element& element) override;

  void after_processing(const caf::local_actor& self,
                        caf::invoke_message_result result) override;

  void before_sending(const caf::local_actor& self,
                      caf::mailbox_element& element) override;

  void before_sending_scheduled(
    const caf::local_actor& self, caf::actor_clock::time_point timeout,
    caf::mailbox_element& element) override;

private:
  class registry;

  // Shared with the actors, which may live longer than this.
  std::shared_ptr<registry> registry_;
};

} // namespace caf::rosia
