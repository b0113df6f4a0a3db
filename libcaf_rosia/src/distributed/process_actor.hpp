// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/fwd.hpp"
#include "compat/actor_calls.hpp"
#include "distributed/farewell.hpp"
#include "distributed/joining.hpp"
#include "distributed/process_messages.hpp"
#include "distributed/report_collection.hpp"
#include "distributed/start_waiters.hpp"

#include <caf/actor_addr.hpp>
#include <caf/node_id.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <spdlog/logger.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace caf::rosia {

/// The actor of a process of an application, for messages of other processes.
/// Detached, because it must run while nodes occupy all workers. The
/// coordinator's admits the other processes. Tests:
/// test/distributed/forged_messages_test.cpp,
/// test/distributed/processes_test.cpp.
class process_actor : public process_handle::base {
public:
  // -- member types -----------------------------------------------------------

  using super = process_handle::base;

  struct settings {
    /// The names of all processes, that of the coordinator first.
    std::vector<std::string> processes;

    engine::process_id self = 0;

    /// The coordinator's option, for processes that join.
    std::string placement;

    /// The secret of all processes of the application.
    std::string token;

    /// The coordinator's time limit for other processes to join, and then to be
    /// ready.
    std::chrono::nanoseconds join_timeout{};

    /// Whether the coordinator handles signals.
    bool handles_signals = false;

    /// The coordinator's options that apply to all processes.
    join_reply shared;

    std::shared_ptr<spdlog::logger> log;

    /// Released after the actor is destroyed.
    std::shared_ptr<void> life;
  };

  // -- constructors, destructors ----------------------------------------------

  process_actor(caf::actor_config& cfg, settings init);

  ~process_actor() override;

  // -- from any thread --------------------------------------------------------

  /// Lets the actor call `fun`.
  static void call(const process_handle& actor,
                   std::function<void(process_actor&)> fun);

  // -- for `call` -------------------------------------------------------------

  /// Sets the handle of a process, and monitors it.
  void know(engine::process_id process, const process_handle& actor);

  /// Greets another process, and stores its handle. Calls `then` with the
  /// problem; empty if there is none. Calls must not overlap.
  void say_hello(engine::process_id process, const process_handle& actor,
                 std::chrono::nanoseconds patience,
                 std::function<void(std::string)> then);

  /// Aborts the application, because another process sent an invalid message.
  /// @param problem such as "exit_message.node is 7, but there are 4 nodes".
  void blame(engine::process_id process, const std::string& problem);

  /// Sends a request to the coordinator's process, or handles it if this is the
  /// coordinator's process. Calls `then` with the reply, or with the reason if
  /// there is none.
  void join(join_request request, std::function<void(join_reply)> then);

  /// Waits until each of these processes greeted this one, or is known. Then
  /// calls `then` with the handles of all known processes, or with none if the
  /// application does not start.
  void meet(std::vector<engine::process_id> processes,
            std::function<void(std::vector<process_handle>)> then);

  void be_ready(std::function<void(start_reply)> then);

  /// Returns why the application does not start, if that is known.
  start_reply prospects() const {
    return waiters_.no_start();
  }

  /// Ends the waiting after `join_timeout`. For the coordinator.
  void give_up_waiting();

  /// Handles an early signal. Before the start, all processes stop waiting.
  /// After the start, it requests an end. While this process is ready, only the
  /// coordinator knows whether the application started.
  void end_early(int signal);

  /// Handles the lack of a reaction of the coordinator to this signal.
  void end_without_word(int signal);

  /// Ends this process without the coordinator, which does not end the
  /// application.
  /// @param cause completes "the coordinator ...".
  void leave_coordinator(const std::string& cause, int status);

  /// Calls `then` when the coordinator ends the application, or is lost.
  void wait_for_end(std::function<void()> then);

  /// Passes further messages to this run.
  void serve(std::shared_ptr<detail::runtime> run);

  /// Drops further messages. Called after the run.
  void stop_serving();

  /// Publishes a report of the whole application. For a process other than the
  /// coordinator's.
  void give_report();

  /// Calls `lag_monitor::look`.
  void watch_lag();

  /// Notifies all other processes of the end, with its status. Calls `then`
  /// when all answered, or after `patience`.
  void end_all(const over_message& over, std::chrono::nanoseconds patience,
               std::function<void()> then);

  /// Ends the actor. Refuses everything that still waits.
  void leave();

  // -- overridden functions of CAF --------------------------------------------

  const char* name() const override;

  void on_exit() override;

protected:
  behavior_type make_behavior() override;

private:
  using start_waiters = detail::start_waiters;

  enum class stage { joining, preparing, running, over };

  bool coordinates() const noexcept {
    return settings_.self == 0;
  }

  /// Returns the process that sent the current message, which may be this one.
  /// Returns nothing if the sender did not join.
  std::optional<engine::process_id> sender();

  /// Returns the process with this name in CAF's protocol, if it joined.
  std::optional<engine::process_id> process_at(const caf::node_id& name) const;

  /// Returns whether a message is valid and from a process that joined. Blames
  /// its sender if it is not valid.
  /// @param xs the message.
  template <class... Ts>
  bool is_valid(const Ts&... xs);

  /// Returns whether a message or a reply is valid. Blames its sender if it is
  /// not.
  /// @param from the sender.
  template <class... Ts>
  bool is_valid_from(engine::process_id from, const Ts&... xs);

  /// Logs a warning about a process that has not joined. Omits it if the last
  /// one was a short time ago, because strangers could fill the log.
  void warn_of_stranger(const std::string& text);

  greeting_reply greet(const greeting_request& request);

  /// Logs why a process will not join. For the coordinator.
  void note_greeting(const greeting_request& request);

  hello take_hello(const hello& greeting);

  /// Admits a process.
  /// @param actor null for the coordinator's own process.
  void take_in(join_request request, const process_handle* actor,
               start_waiters::join_listener reply);

  void note_ready(engine::process_id process,
                  start_waiters::start_listener reply);

  /// Ends all waiting, because the application does not start.
  void give_up(const std::string& problem, bool ended = false);

  /// Handles the end of a process that was started from here.
  void note_end(const child_ended& child);

  /// @param cause the way in which the process ended; empty if unknown.
  void note_loss(engine::process_id process, const std::string& cause);

  /// Requests and merges the reports of all other processes. For the
  /// coordinator.
  void collect_report(std::function<void(const application_report&)> then);

  /// Moves the lines of a process's log to the live page.
  void take_log(engine::process_id from, process_report_reply& reply);

  settings settings_;
  stage stage_ = stage::joining;
  std::uint64_t session_ = 0; // set when all joined
  detail::joining joining_;
  std::vector<bool> ready_;           // by process
  std::vector<process_handle> peers_; // by process
  detail::start_waiters waiters_;
  detail::report_collection reports_;
  std::vector<std::uint64_t> log_seen_; // by process: the last line received
  detail::farewell farewell_;
  detail::monitored_actors<super> monitored_; // the other processes
  bool joined_ = false;                       // or requested to join
  std::shared_ptr<detail::runtime> runtime_;
  std::chrono::steady_clock::time_point next_warning_{}; // of strangers
};

} // namespace caf::rosia
