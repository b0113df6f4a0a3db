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

// -- what is to happen --------------------------------------------------------

enum class way : std::uint8_t {
  /// The node requests a shutdown.
  request,
  /// A signal comes.
  signal,
  /// Two of them come, one right after the other.
  two_signals,
  /// The node's code throws.
  error,
  /// Somebody ends the node's actor.
  kill,
  /// Nothing, but somebody looks at the application's status.
  look,
};

/// Something that ends an application, and when. A moment is a number of code
/// that runs: how fast the machine is does not matter to it.
struct act {
  way what = way::request;

  /// When so many reactions, of whatever node, have begun or gone on.
  std::uint64_t at = 0;

  /// Done by a thread of its own, not by the reaction. @pre Nobody but a node
  /// can request or throw, and nobody but others look.
  bool outside = false;
  std::optional<model::delay> distance = std::nullopt; // of a request
  std::int32_t status = 0;                             // of a request
  bool first_is_int = false;                           // of signals
  bool politely = false; // a kill as by a supervisor
};

struct ending_plan {
  std::vector<act> acts;

  /// The options of these names, if they are so short that they may matter.
  std::optional<std::chrono::nanoseconds> timeout = std::nullopt;
  std::optional<std::chrono::nanoseconds> negotiation_timeout = std::nullopt;

  /// The node whose `shutdown()` throws.
  std::optional<std::uint32_t> fails_in_shutdown = std::nullopt;

  bool has_signals() const;

  /// Whether a deadline may end the run.
  bool has_deadline() const {
    return timeout || negotiation_timeout;
  }
};

/// Makes a random plan.
/// @param reactions about how many run if nothing happens.
ending_plan make_ending_plan(
  std::uint64_t seed, std::size_t nodes, std::uint64_t reactions);

/// A description for people.
std::string to_string(const ending_plan& x);

// -- making it happen ---------------------------------------------------------

/// What one run's plan came to.
struct deeds {
  std::vector<model::logical_time> proposals;
  std::vector<std::int32_t> statuses;
  int signals = 0;
  int kills = 0;
};

/// Carries out the plan of one run. Threads of its own wait for their moment;
/// they are joined when it ends.
class ending_maker {
public:
  /// @param look looks at the application's status. From any thread.
  ending_maker(const ending_plan& plan, std::function<void()> look);

  ending_maker(const ending_maker&) = delete;

  ending_maker& operator=(const ending_maker&) = delete;

  ~ending_maker();

  /// Called by a node's code, in the node, whenever it begins or goes on.
  /// @returns whether the node has to throw.
  bool step(random_node& self);

  /// Does nothing any more: the run is over.
  void stop();

  /// What was done. @pre The run is over.
  const deeds& done() const noexcept {
    return done_;
  }

private:
  void act_outside(const act& x, std::size_t index);

  void send_signals(const act& x);

  void kill(const act& x, const caf::actor_addr& who);

  const ending_plan* plan_;
  std::function<void()> look_;
  std::atomic<std::uint64_t> steps_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::optional<caf::actor_addr>> begun_; // by act: at which node
  bool over_ = false;
  deeds done_;
  std::vector<std::thread> threads_; // last: they use all of the above
};

/// Has signals that this process sends to itself when no application takes them
/// do nothing, for as long as it lives. Others still end the process. An
/// application counts each of them.
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
