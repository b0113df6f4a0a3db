// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "distinct_signals.hpp"
#include "property/model/graph.hpp"

#include <caf/actor_addr.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace property {

namespace rosia = caf::rosia;

class random_node;

// -- the plan -----------------------------------------------------------------

enum class way : std::uint8_t {
  /// A node requests a shutdown.
  request,
  /// A signal arrives.
  signal,
  /// Two signals arrive, one right after the other.
  two_signals,
  /// A node's code throws.
  error,
  /// A node's actor is ended from outside.
  kill,
  /// No event, except that the application's status is read.
  look,
};

/// An event that ends an application, and its time. The time is a number of
/// executed reactions, so that it does not depend on the speed of the machine.
struct act {
  way kind = way::request;

  /// The number of reactions of all nodes that have begun or continued.
  std::uint64_t at = 0;

  /// Whether a separate thread causes the event. @pre Only a node can request
  /// or throw, and only a thread can read the status.
  bool outside = false;
  std::optional<model::delay> distance = std::nullopt; // of a request
  std::int32_t status = 0;                             // of a request
  bool first_is_int = false;                           // of signals
  bool politely = false; // a kill as by a supervisor
};

struct ending_plan {
  std::vector<act> acts;

  /// The options of these names, if they are short enough to matter.
  std::optional<std::chrono::nanoseconds> timeout = std::nullopt;
  std::optional<std::chrono::nanoseconds> negotiation_timeout = std::nullopt;

  /// The node whose `shutdown()` throws.
  std::optional<std::uint32_t> fails_in_shutdown = std::nullopt;

  bool has_signals() const;

  /// Returns whether a deadline may end the run.
  bool has_deadline() const {
    return timeout || negotiation_timeout;
  }
};

/// Makes a random plan.
/// @param reactions approximate number of reactions in an undisturbed run.
ending_plan make_ending_plan(
  std::uint64_t seed, std::size_t nodes, std::uint64_t reactions);

/// Describes a plan.
std::string to_string(const ending_plan& x);

// -- execution ----------------------------------------------------------------

/// The events that a run's plan caused.
struct deeds {
  std::vector<model::logical_time> proposals;
  std::vector<std::int32_t> statuses;
  int signals = 0;
  int kills = 0;
};

/// Executes the plan of one run. Uses threads, which the destructor joins.
class ending_maker {
public:
  /// @param look reads the application's status. May be called from any thread.
  ending_maker(const ending_plan& plan, std::function<void()> look);

  ending_maker(const ending_maker&) = delete;

  ending_maker& operator=(const ending_maker&) = delete;

  ~ending_maker();

  /// Called by a node's code, in the node, whenever it begins or continues.
  /// @returns whether the node must throw.
  bool step(random_node& self);

  /// Ends all actions, because the run has ended.
  void stop();

  /// Returns the events that were caused. @pre The run has ended.
  const deeds& done() const noexcept {
    return done_;
  }

private:
  void act_outside(const act& x, std::size_t index);

  void send_signals(const act& x);

  void kill(const act& x, const caf::actor_addr& target);

  const ending_plan* plan_;
  std::function<void()> look_;
  std::atomic<std::uint64_t> steps_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::optional<caf::actor_addr>> begun_; // by act: at which node
  bool over_ = false;
  deeds done_;
  std::vector<std::thread> threads_; // last, because they use all of the above
};

/// Disables the signals that this process sends to itself while no application
/// handles them. Other signals still end the process. An application counts
/// each of them.
class own_signals_do_nothing {
public:
  own_signals_do_nothing();

  own_signals_do_nothing(const own_signals_do_nothing&) = delete;

  own_signals_do_nothing& operator=(const own_signals_do_nothing&) = delete;

  ~own_signals_do_nothing();

private:
  test::distinct_signals distinct_;
};

} // namespace property
