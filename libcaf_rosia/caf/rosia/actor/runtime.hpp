// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/actor/gateway.hpp"
#include "caf/rosia/actor/membership.hpp"
#include "caf/rosia/actor/messages.hpp"
#include "caf/rosia/actor/observation.hpp"
#include "caf/rosia/actor/process_messages.hpp"
#include "caf/rosia/actor/shared_ledger.hpp"
#include "caf/rosia/actor/timekeeper.hpp"
#include "caf/rosia/detail/logging.hpp"
#include "caf/rosia/detail/roster.hpp"
#include "caf/rosia/detail/trace_writer.hpp"
#include "caf/rosia/engine/topology.hpp"
#include "caf/rosia/options.hpp"
#include "caf/rosia/report.hpp"

#include <caf/actor_system.hpp>
#include <caf/send.hpp>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace caf::rosia::detail {

/// What the coordinator and the actors of the nodes of a running application
/// share. It ends after the last of them.
class runtime {
public:
  // -- constructors, destructors ----------------------------------------------

  /// @param trace null if there is none.
  /// @param nodes outlive the activity of their actors.
  runtime(caf::actor_system& sys, const options& opts,
          std::shared_ptr<log_context> log, std::unique_ptr<trace_writer> trace,
          roster nodes, engine::topology graph);

  /// The nodes of this process, of an application over several.
  /// @param group outlives it. @param session, peers as all agreed.
  runtime(caf::actor_system& sys, const options& opts,
          std::shared_ptr<log_context> log, std::unique_ptr<trace_writer> trace,
          roster nodes, engine::topology graph, membership& group,
          std::uint64_t session, std::vector<process_handle> peers);

  runtime(const runtime&) = delete;

  runtime& operator=(const runtime&) = delete;

  ~runtime();

  // -- drills -----------------------------------------------------------------

  /// Lets a drill see and disturb the application. Called before `run`.
  /// @param x null if there is none.
  void rehearse(std::shared_ptr<detail::drill> x);

  /// Null if there is none.
  detail::drill* drill() const noexcept {
    return drill_.get();
  }

  // -- running ----------------------------------------------------------------

  /// Runs the application in `self`, from start to end.
  /// @returns the status.
  static int run(const std::shared_ptr<runtime>& self);

  // -- properties -------------------------------------------------------------

  /// The option `max_in_flight`, within what the engine counts to.
  static std::uint32_t max_in_flight(const options& opts) noexcept;

  caf::actor_system& system() noexcept {
    return *system_;
  }

  const options& opts() const noexcept {
    return options_;
  }

  log_context& log() noexcept {
    return *log_;
  }

  /// The coordinator's logger.
  spdlog::logger& coordinator_log() noexcept {
    return *coordinator_log_;
  }

  timekeeper& time() noexcept {
    return time_;
  }

  /// Null if there is no trace.
  trace_writer* trace() noexcept {
    return trace_.get();
  }

  /// All nodes, those of other processes included.
  const roster& nodes() const noexcept {
    return nodes_;
  }

  /// @pre This process runs the node.
  node& at(engine::node_id id) noexcept {
    return *nodes_.find(id);
  }

  /// @pre This process runs the node.
  node_actor& actor_at(engine::node_id id) noexcept {
    return *actors_[id];
  }

  /// The handle of a node; invalid before and after the run, and if another
  /// process runs the node.
  node_handle handle_of(engine::node_id id) const;

  /// To other processes; null if there are none.
  gateway* links() noexcept {
    return gateway_.get();
  }

  const std::vector<node_handle>& handles() const noexcept {
    return handles_;
  }

  const coordinator_handle& coordinator_of() const noexcept {
    return coordinator_;
  }

  // -- messages ---------------------------------------------------------------

  /// Sends one of the protocol's messages to a node, wherever it runs.
  template <class T>
  void tell(engine::node_id id, const T& x) {
    if (nodes_.find(id) != nullptr)
      caf::anon_send(handles_[id], x);
    else if (auto& peer = peers_[nodes_.home(id)])
      caf::anon_send(peer, id, x);
  }

  /// Sends one of the protocol's messages to the coordinator.
  template <class T>
  void tell_coordinator(const T& x) {
    if (coordinator_)
      caf::anon_send(coordinator_, x);
    else if (!peers_.empty())
      caf::anon_send(peers_[0], x);
  }

  // -- the coordinator's deadlines --------------------------------------------

  /// Sends the coordinator `stage_overdue` or `look_at_progress` when elapsed
  /// time is `ns`. @returns a number for `timekeeper::cancel`.
  std::uint64_t call_overdue(
    std::int64_t ns, std::uint64_t deadline, bool look);

  /// The coordinator has handled all that came before `expect_life` with this
  /// number.
  void heard(std::uint64_t number) noexcept {
    heard_.store(number);
  }

  // -- from outside, from any thread ------------------------------------------

  /// Asks for an end at once; as soon as the nodes have started, if they have
  /// not. @param signal that was the reason; 0 if none was.
  void request_from_outside(int signal = 0);

  /// Ends the application by force.
  void force_from_outside(int status);

  // -- for the coordinator and the nodes --------------------------------------

  /// How far a node has come. Nothing follows after it has left.
  void set_stage(engine::node_id id, node_stage x) noexcept;

  /// How far the application's end has come. Called by the coordinator.
  void set_stage(application_stage x, logical_time final, int status);

  /// Why the application ends by force; the first reason counts. Called by the
  /// coordinator.
  void set_reason(const std::string& x);

  /// Takes down how the nodes are that nobody runs, and keeps a place for those
  /// that are told to leave at once. Called by the coordinator before it does.
  void prepare_last_report();

  /// Takes down how a node is that is about to leave by force.
  void last_words(const engine::node& x);

  /// Called by the coordinator when all nodes have left.
  void finish(int status);

  /// Ends the process: there are nodes that cannot be ended.
  [[noreturn]] void give_up(int status);

  /// Grows whenever a node gets on. From any thread.
  std::uint64_t progress() const noexcept;

  // -- several processes ------------------------------------------------------

  /// The nodes of another process have to leave at once. Called by the
  /// coordinator; the second time it does nothing.
  void force(engine::process_id process);

  /// Another process is gone: nothing more is sent there, nobody waits for it.
  /// Called by the coordinator. @returns its nodes.
  std::vector<engine::node_id> lose(engine::process_id process);

  /// Asks the other processes how far they are.
  void ask_progress();

  void set_progress(engine::process_id process, std::uint64_t x) noexcept;

  /// The nodes of this process have to leave at once.
  void force_nodes();

  /// The coordinator is gone, and with it who could end this process in order.
  void coordinator_lost();

  /// All is over.
  void end_here(int status);

  /// How this process and its nodes are; the nodes from before an end by force,
  /// if it has come to that.
  process_report_reply local_report();

  /// How this process is.
  process_report own_report() const;

  /// Takes down how another process is.
  void note(engine::process_id process, process_report x);

  /// A node of this process has left; also called for one that has vanished.
  void note_exit();

  /// The actor of a node ended without a word. @returns why not, if that is not
  /// so.
  bool note_vanished(const caf::down_msg& x);

  // -- reports ----------------------------------------------------------------

  /// Observes the nodes, those of other processes too; waits for those that are
  /// busy, but not for long. From any thread.
  report look();

  /// The same, without asking other processes.
  report look_here();

  /// The same where the coordinator's process does not answer. @param why it is
  /// known that it does not.
  report look_alone(const caf::error& why);

  /// By process: what others have told; nothing of those that did not answer.
  using answers = std::vector<std::optional<process_report_reply>>;

  /// The whole report of the coordinator's process.
  report complete(report x, const answers& of_others);

  /// How long a process may take to tell how it is, and how long the
  /// coordinator's may take to tell how all are.
  static constexpr std::chrono::milliseconds patience_with_process{400};
  static constexpr std::chrono::seconds patience_with_coordinator{2};

  /// What there is to say without the nodes. From any thread.
  report summary() const;

  /// Logs a report, and writes it to the file that `opts().report` names.
  void give(const report& x);

  /// Gives the report of an end by force.
  void give_last_report();

  /// What is known of a node without asking it, as text.
  std::string describe(engine::node_id id);

  /// Tells whether a node's code runs, as far as it is known.
  bool runs_code(engine::node_id id);

  /// Tells whether nodes wait for physical time.
  bool follows_clock() const noexcept {
    return follows_clock_;
  }

private:
  std::shared_ptr<observation> new_observation() const;

  /// Looks at the nodes of this process.
  std::shared_ptr<observation> observe_nodes();

  report make_report(const observation& x);

  /// Asks the processes from one to before another, all at once. From any
  /// thread.
  answers ask_for_reports(engine::process_id first, engine::process_id last);

  /// Puts what another process has told, or that it has not, into a report.
  void add(report& to, engine::process_id process,
           const std::optional<process_report_reply>& x);

  /// What another process said of a node, not long ago; null if nothing.
  const node_report* foreign_report(engine::node_id id);

  /// Agrees on the start with the other processes. @returns whether it begins.
  bool begin_together(const std::shared_ptr<runtime>& self);

  /// Ends the process if this one's nodes do not leave in time.
  void watch_nodes();

  /// @param state null if it is not known.
  node_report describe(engine::node_id id, node_stage stage,
                       const engine::snapshot* state) const;

  engine::node_config configure(engine::node_id id) const;

  void spawn(const std::shared_ptr<runtime>& self);

  void on_signal(int signal, int count);

  /// Ends the process, without a word, if the coordinator does not handle what
  /// it was sent: whoever holds the log or the trace for ever, because nobody
  /// reads the pipe that they go to, must not keep the process from ending. For
  /// the same reason the thread in `run()`, from which this is called, writes
  /// to neither.
  void expect_life();

  caf::actor_system* system_;
  options options_;
  std::shared_ptr<log_context> log_;
  std::shared_ptr<spdlog::logger> coordinator_log_;
  roster nodes_;
  membership* group_ = nullptr;
  std::uint64_t session_ = 0;
  std::vector<process_handle> peers_;   // by process; none if there is but one
  std::vector<shared_ledger*> ledgers_; // by loop
  engine::topology graph_;
  engine::topology::wiring wiring_;
  std::unique_ptr<trace_writer> trace_;
  std::shared_ptr<detail::drill> drill_;
  timekeeper time_;
  std::vector<engine::node_id> local_; // that this process runs, ascending
  std::vector<node_actor*> actors_;    // null elsewhere
  std::vector<node_handle> handles_;
  std::shared_ptr<network_runner> runner_; // with the gateway
  std::unique_ptr<gateway> gateway_;
  coordinator_handle coordinator_;
  bool follows_clock_ = false;
  std::uint64_t expected_ = 0;
  std::atomic<std::uint64_t> heard_{0};
  std::atomic<std::size_t> alive_{0};  // of the nodes of this process
  std::atomic<bool> orphaned_{false};  // no coordinator ends this process
  std::vector<bool> forced_processes_; // for the coordinator
  std::unique_ptr<std::atomic<std::uint64_t>[]> progress_; // by process
  std::unique_ptr<std::atomic<bool>[]> lost_;              // the same
  std::map<engine::process_id, std::pair<std::int64_t, process_report_reply>>
    foreign_reports_; // for the coordinator, and when they came

  std::unique_ptr<std::atomic<node_stage>[]> stages_;
  std::shared_ptr<observation> last_look_; // set before nodes are forced

  mutable std::mutex mutex_;     // protects what follows
  bool has_actors_ = false;      // they are alive, and may be looked at
  std::optional<int> requested_; // from outside, before there were any
  std::optional<force_application> forced_; // the same
  report summary_;                          // without nodes
};

} // namespace caf::rosia::detail
