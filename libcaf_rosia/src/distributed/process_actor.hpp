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

/// The actor by which a process of an application is reached. Detached, because
/// it has to go on when nodes hold all workers. The coordinator's takes the
/// others in.
class process_actor : public process_handle::base {
public:
  // -- member types -----------------------------------------------------------

  using super = process_handle::base;

  struct settings {
    /// Those of an application; that of the coordinator first.
    std::vector<std::string> processes;

    engine::process_id self = 0;

    /// The coordinator's: the option, for those that join.
    std::string placement;

    /// What all processes of the application know.
    std::string token;

    /// The coordinator's: how long the others may take to join, and to be ready
    /// then.
    std::chrono::nanoseconds join_timeout{};

    /// The coordinator's options that are the same for all.
    join_reply shared;

    std::shared_ptr<spdlog::logger> log;

    /// Released when nothing of the actor is left.
    std::shared_ptr<void> life;
  };

  // -- constructors, destructors ----------------------------------------------

  process_actor(caf::actor_config& cfg, settings init);

  ~process_actor() override;

  // -- from any thread --------------------------------------------------------

  /// Has the actor call `fun`.
  static void call(const process_handle& actor,
                   std::function<void(process_actor&)> fun);

  // -- for `call` -------------------------------------------------------------

  /// Sets the handle of a process, and monitors it.
  void know(engine::process_id process, const process_handle& actor);

  /// Greets another process, and knows it from then on. Calls `then` with the
  /// problem, if there is one. One process after the other.
  void say_hello(engine::process_id process, const process_handle& actor,
                 std::chrono::nanoseconds patience,
                 std::function<void(std::string)> then);

  /// Another process has sent an invalid message: the application is aborted.
  /// @param problem such as "exit_message.node is 7, but there are 4 nodes".
  void blame(engine::process_id process, const std::string& problem);

  /// Sends a request to the coordinator's process, unless it is this one, which
  /// takes it in itself. Hands over the reply, or why there is none.
  void join(join_request request, std::function<void(join_reply)> then);

  /// Waits until each of these processes has said hello, or is known; then
  /// hands over the handles of all that are known. None if there will be no
  /// start.
  void meet(std::vector<engine::process_id> processes,
            std::function<void(std::vector<process_handle>)> then);

  void be_ready(std::function<void(start_reply)> then);

  /// Why there will be no start, if that is known.
  start_reply prospects() const {
    return waiters_.no_start();
  }

  /// The coordinator's: `join_timeout` is over.
  void give_up_waiting();

  /// A signal came early. If the application has not started, all processes
  /// stop waiting for its start; else its end is requested. Once this process
  /// is ready, only the coordinator knows whether it has started.
  void end_early(int signal);

  /// The coordinator has not reacted to that signal in time.
  void end_without_word(int signal);

  /// The coordinator does not end the application: this process ends without
  /// it. @param how completes "the coordinator ...".
  void leave_coordinator(const std::string& how, int status);

  /// Calls `then` when the coordinator has ended the application, or is gone.
  void wait_for_end(std::function<void()> then);

  /// From here on messages are for this run.
  void serve(std::shared_ptr<detail::runtime> run);

  /// The run is over: whatever comes does not get to it any more.
  void stop_serving();

  /// Gives a report of the whole application, in a process that does not
  /// coordinate it.
  void give_report();

  /// Warns of nodes of this process that are behind physical time.
  void watch_lag();

  /// Tells all others that it is over, and how; calls `then` once they know, or
  /// `patience` is over.
  void end_all(const over_message& over, std::chrono::nanoseconds patience,
               std::function<void()> then);

  /// Ends the actor. All that still wait for something are refused.
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

  /// The process that the current message is from, this one included; nothing
  /// if none that has joined has sent it.
  std::optional<engine::process_id> sender();

  /// The process that has this name in CAF's protocol, if it has joined.
  std::optional<engine::process_id> process_at(const caf::node_id& name) const;

  /// Whether a message is from a process that has joined, and valid. If it is
  /// not, its sender is blamed.
  /// @param xs the message.
  template <class... Ts>
  bool is_valid(const Ts&... xs);

  /// The same of a reply.
  /// @param from the process that has sent it.
  template <class T>
  bool is_valid_reply(engine::process_id from, const T& reply);

  /// A process that has not joined has sent something.
  /// @param kind such as "a message".
  void note_stranger(const char* kind);

  /// The coordinator's: a process may not join.
  void note_refusal(const std::string& who, const std::string& reason);

  /// Whether there is room in the log for a warning that others cause, who
  /// could fill it.
  bool may_warn();

  greeting_reply greet(const greeting_request& request);

  /// The coordinator's: logs why a process will not join.
  void note_greeting(const greeting_request& request);

  hello take_hello(const hello& greeting);

  /// Takes a process in.
  /// @param actor null for the coordinator's own process.
  void take_in(join_request request, const process_handle* actor,
               start_waiters::join_listener reply);

  /// A process is ready to start.
  void note_ready(engine::process_id process,
                  start_waiters::start_listener reply);

  /// There will be no start: tells all who wait.
  void give_up(const std::string& problem, bool ended = false);

  void note_down(const caf::actor_addr& who);

  /// @param how it ended, if that is known.
  void note_loss(engine::process_id process, const std::string& how);

  /// The coordinator's: requests the reports of all others, and puts them
  /// together.
  void collect_report(std::function<void(const report&)> then);

  /// Puts the lines of a process's log on the live page.
  void take_log(engine::process_id from, process_report_reply& reply);

  /// A process has answered for the report, or will not.
  void note_answer();

  settings settings_;
  stage stage_ = stage::joining;
  std::uint64_t session_ = 0; // once all have joined
  detail::joining joining_;
  std::vector<bool> ready_;           // by process
  std::vector<process_handle> peers_; // the same
  detail::start_waiters waiters_;
  detail::report_collection reports_;
  std::vector<std::uint64_t>
    log_seen_; // by process: the last line that it told
  detail::farewell farewell_;
  detail::monitored_actors<super> monitored_; // the others
  bool joined_ = false;                       // or has requested to
  std::shared_ptr<detail::runtime> runtime_;
  std::chrono::steady_clock::time_point next_warning_{}; // see may_warn
};

} // namespace caf::rosia
