// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/abstract_actor.hpp>
#include <caf/actor_addr.hpp>
#include <caf/config.hpp>
#include <caf/fwd.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#if CAF_MAJOR_VERSION < 1
#  include <caf/actor_profiler.hpp>
#endif

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

  /// The actor that spawned it; 0 if none did, and with CAF 1, which does not
  /// tell.
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
/// always, and its actors are not listed. Attach it to the system's config, and
/// let it outlive the system, for instance as a member of the config:
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
/// CAF 1 has no profiler: the list gives each actor its mailbox, and learns of
/// it when it looks there for its first message, whatever code has spawned it.
/// Its `make_behavior` has been called by then, subscribers are called in its
/// thread, and it is not listed before.
///
/// Each spawn and each end of an actor takes a lock and changes one entry of a
/// hash map. Actors that end after it was destroyed do no harm. Give each actor
/// system its own.
class actor_names
#if CAF_MAJOR_VERSION < 1
  : public caf::actor_profiler
#endif
{
public:
  // -- constructors, destructors, and assignment operators --------------------

  actor_names();

  actor_names(const actor_names&) = delete;

  actor_names& operator=(const actor_names&) = delete;

#if CAF_MAJOR_VERSION < 1
  ~actor_names() override;
#else
  ~actor_names();
#endif

  /// Lists the actors of systems that are constructed with this config. With
  /// CAF 0.17, the same as to set its `profiler`.
  void attach_to(caf::actor_system_config& cfg);

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

#if CAF_MAJOR_VERSION < 1
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
#endif

private:
  class registry;
#if CAF_MAJOR_VERSION >= 1
  class mailbox;
  class mailbox_factory;
#endif

  // Shared with the actors, which may live longer than this.
  std::shared_ptr<registry> registry_;
};

} // namespace caf::rosia
