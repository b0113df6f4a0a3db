// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/fwd.hpp"
#include "distributed/joining.hpp"
#include "distributed/process_messages.hpp"

#include <caf/node_id.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

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

    /// Who knocks has to know it.
    std::string token;

    /// The coordinator's: how long the others may take to join, and to be ready
    /// then.
    std::chrono::nanoseconds join_timeout{};

    // What all have to do with, by the coordinator's options.
    join_reply shared;

    std::shared_ptr<spdlog::logger> log;

    /// Released when nothing of the actor is left.
    std::shared_ptr<void> life;
  };

  // -- constructors, destructors ----------------------------------------------

  process_actor(caf::actor_config& cfg, settings what);

  ~process_actor() override;

  // -- from any thread --------------------------------------------------------

  /// Has the actor call `what`.
  static void call(const process_handle& who,
                   std::function<void(process_actor&)> what);

  // -- for `call` -------------------------------------------------------------

  /// Takes notice if that process goes.
  void know(engine::process_id process, const process_handle& who);

  /// Says hello to another process, and knows it from then on; or tells why
  /// not. One after the other.
  void say_hello(engine::process_id process, const process_handle& who,
                 std::chrono::nanoseconds patience,
                 std::function<void(std::string)> then);

  /// Another process has sent an invalid message: it all ends.
  /// @param what such as "exit_message.node is 7, and there are 4 nodes".
  void blame(engine::process_id process, const std::string& what);

  /// Sends a request to the coordinator's process, or is that of the
  /// coordinator, and hands over the reply; or the reason why there is none.
  void join(join_request x, std::function<void(join_reply)> then);

  /// Waits until each of these processes has said hello, or is known; then
  /// hands over the handles of all that are known. None if nothing will come of
  /// it.
  void meet(std::vector<engine::process_id> who,
            std::function<void(std::vector<process_handle>)> then);

  void be_ready(std::function<void(start_reply)> then);

  /// Why there will be no start, if that is known.
  start_reply prospects() const {
    return {problem_, ended_, 0};
  }

  /// The coordinator's: those who wait have waited for long enough.
  void give_up_waiting();

  /// A signal came early. If the application has not started, nobody waits for
  /// that any more, in any process; else it is asked to end. Whether it has is
  /// for the coordinator to say once this process is ready.
  void end_early(int signal);

  /// The coordinator has not said so in time.
  void end_without_word(int signal);

  /// The coordinator does not do what it is there for: this process ends
  /// without it. @param why completes "the coordinator ...".
  void leave_coordinator(const std::string& why, int status);

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
  void end_all(const over_message& what, std::chrono::nanoseconds patience,
               std::function<void()> then);

  /// Ends the actor. Whoever still waits for something is told that it will
  /// not come.
  void leave();

  // -- overridden functions of CAF --------------------------------------------

  const char* name() const override;

  void on_exit() override;

  void enqueue(caf::mailbox_element_ptr what, caf::execution_unit* by) override;

protected:
  behavior_type make_behavior() override;

private:
  enum class stage { joining, preparing, running, over };

  bool coordinates() const noexcept {
    return settings_.self == 0;
  }

  /// The process that the current message is from, this one included; nothing
  /// if none that has joined has sent it.
  std::optional<engine::process_id> sender();

  /// The process that has this name in CAF's protocol, if it has joined.
  std::optional<engine::process_id> process_at(const caf::node_id& where) const;

  /// Whether a message may be used: it is from a process that has joined, which
  /// may say this. If it is not, something is done about it.
  /// @param xs the message.
  template <class... Ts>
  bool is_valid(const Ts&... xs);

  /// The same of a reply.
  /// @param from who was asked.
  template <class T>
  bool is_valid_reply(engine::process_id from, const T& x);

  /// Somebody who has not joined has sent something.
  void note_stranger(const char* what);

  greeting_reply greet(const greeting_request& x) const;

  hello take_hello(const hello& x);

  void check_met();

  /// Everybody but the coordinator's own process comes with a promise.
  void take_in(join_request x, const process_handle& who,
               caf::typed_response_promise<join_reply>* promise);

  void note_ready(std::uint32_t process,
                  caf::typed_response_promise<start_reply>* who);

  /// Nothing will come of it: tells all who wait.
  void give_up(const std::string& problem, bool ended = false);

  /// Answers all who wait for the start, which will not come.
  void refuse_start();

  /// Answers all who wait for a report, which will not come.
  void refuse_reports();

  /// The coordinator is through with this process.
  void note_end();

  void lost(const caf::down_msg& x);

  void lost(engine::process_id process, const std::string& how);

  void note_over(std::uint32_t process);

  /// The coordinator's: asks all others how they are, and hands over what they
  /// have told.
  void collect_report(std::function<void(const report&)> then);

  void note_told();

  settings settings_;
  stage stage_ = stage::joining;
  std::uint64_t session_ = 0; // once all have joined
  std::string problem_;       // why nothing will come of it
  bool ended_ = false;        // because somebody wants it to end
  detail::joining joining_;
  std::vector<bool> ready_;
  std::vector<caf::typed_response_promise<join_reply>> to_join_;
  std::vector<caf::typed_response_promise<start_reply>> to_start_;
  std::function<void(join_reply)> on_joined_;
  std::function<void(start_reply)> on_start_;
  std::vector<process_handle> peers_;
  std::function<void(std::string)> on_hello_;
  std::vector<engine::process_id> to_meet_;
  std::function<void(std::vector<process_handle>)> on_met_;
  std::vector<bool> over_; // who knows
  std::function<void()> on_over_;
  std::function<void()> on_end_;
  bool joined_ = false; // or has asked for it
  bool end_noted_ = false;
  std::vector<std::optional<process_report_reply>> told_; // for a report
  std::size_t to_tell_ = 0;                               // who has not yet
  std::vector<std::function<void(const report&)>> on_report_;
  std::shared_ptr<detail::runtime> runtime_;
  std::chrono::steady_clock::time_point next_warning_{}; // of strangers
};

} // namespace caf::rosia
