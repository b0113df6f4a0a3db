// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "base/logging.hpp"
#include "caf/rosia/options.hpp"
#include "caf/rosia/report.hpp"
#include "engine/topology.hpp"
#include "runtime/lag_watch.hpp"
#include "runtime/messages.hpp"
#include "runtime/node_directory.hpp"
#include "runtime/observation.hpp"
#include "runtime/session.hpp"
#include "runtime/shared_loop_time_table.hpp"
#include "runtime/timekeeper.hpp"
#include "runtime/trace_writer.hpp"

#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/send.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace caf::rosia::detail {

class node_runner;

/// What the coordinator and the actors of the nodes of a running application
/// share. It ends after the last of them.
class runtime {
public:
  // -- constructors, destructors ----------------------------------------------

  /// @param trace null if there is none.
  /// @param nodes outlive the activity of their actors.
  /// @param others the session with the other processes; null if there are
  /// none.
  runtime(caf::actor_system& sys, const options& opts,
          std::shared_ptr<log_context> log, std::unique_ptr<trace_writer> trace,
          node_directory nodes, engine::topology graph,
          std::unique_ptr<session> others = nullptr);

  runtime(const runtime&) = delete;

  runtime& operator=(const runtime&) = delete;

  ~runtime();

  // -- several processes, before the run --------------------------------------

  /// Connects this process with others. If that fails, the trace says that the
  /// application has not started, and is complete.
  /// @throws std::runtime_error naming who does not answer.
  void meet(const std::vector<engine::process_id>& who);

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
  const node_directory& nodes() const noexcept {
    return nodes_;
  }

  /// @pre This process runs the node.
  node& at(engine::node_id id) noexcept {
    return *nodes_.find(id);
  }

  /// @pre This process runs the node.
  node_runner& actor_at(engine::node_id id) noexcept {
    return *actors_[id];
  }

  /// The handle of a node; invalid before and after the run, and if another
  /// process runs the node.
  node_handle handle_of(engine::node_id id) const;

  /// Tells whether a node of this process has left, or is lost.
  bool has_left(engine::node_id id) const noexcept;

  const engine::topology& graph() const noexcept {
    return graph_;
  }

  const engine::topology::wiring& wiring() const noexcept {
    return wiring_;
  }

  /// By loop.
  const std::vector<shared_loop_time_table*>& loop_time_tables()
    const noexcept {
    return loop_time_tables_;
  }

  /// With the other processes; null if there are none.
  session* others() noexcept {
    return others_.get();
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
    else if (auto peer = others_->peer(nodes_.home(id)))
      caf::send_as(others_->self(), peer, id, x);
  }

  /// Sends one of the protocol's messages to the coordinator.
  template <class T>
  void tell_coordinator(const T& x) {
    if (coordinator_)
      caf::anon_send(coordinator_, x);
    else if (auto hub = others_ ? others_->peer(0) : caf::actor{})
      caf::send_as(others_->self(), hub, x);
  }

  // -- the coordinator's deadlines --------------------------------------------

  /// Sends the coordinator `stage_overdue` or `look_at_progress` when elapsed
  /// time is `ns`. @returns a number for `timekeeper::cancel`.
  std::uint64_t call_overdue(
    std::int64_t ns, std::uint64_t deadline, bool look);

  /// Ends the process, without a word, if the coordinator does not handle what
  /// it was sent: whoever holds the log or the trace for ever, because nobody
  /// reads the pipe that they go to, must not keep the process from ending. For
  /// the same reason the thread in `run()` writes to neither. From any thread.
  void expect_life();

  /// The coordinator's answer to the ping with this number: it has handled all
  /// earlier messages.
  void pong(std::uint64_t number) noexcept {
    pong_.store(number);
  }

  // -- from outside, from any thread ------------------------------------------

  /// Asks for an end at once; as soon as the nodes have started, if they have
  /// not. @param signal that was the reason; 0 if none was.
  void request_from_outside(int signal = 0);

  /// Aborts the application.
  void force_from_outside(int status);

  // -- for the coordinator and the nodes --------------------------------------

  /// How far a node has come. Nothing follows after it has left.
  void set_stage(engine::node_id id, node_stage x) noexcept;

  /// How far the application's end has come. Nothing follows after it is over,
  /// whatever others still say. Called by the coordinator.
  void set_stage(application_stage x, logical_time final, int status);

  /// Why the application is aborted; the first reason counts. Called by the
  /// coordinator.
  void set_reason(const std::string& x);

  /// Takes down how the nodes are that nobody runs, and keeps a place for those
  /// that are told to leave at once. Called by the coordinator before it does.
  void prepare_last_report();

  /// Records the state of a node that is about to be aborted.
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

  /// Tells the coordinator that a process is gone. From any thread.
  void tell_of_loss(const process_lost& x);

  /// Tells all other processes why the application ends, for their logs.
  void tell_others(const std::string& why);

  /// Writes to the log. Ends the process, without a word, if nobody takes that
  /// in for longer than the grace period and a bit: so it may be called by
  /// those who have to see to the end.
  void say(spdlog::level::level_enum level, const std::string& text);

  /// The nodes of this process have to leave at once, for a reason that the
  /// coordinator gives.
  void end_by_force(const std::string& reason, int status = 1);

  /// The nodes of this process have to leave at once.
  void force_nodes(int status = 1);

  /// The coordinator is gone, and with it who could end this process in order;
  /// or nothing that it says can be relied on.
  /// @param how completes "the coordinator ...".
  void coordinator_lost(const std::string& how = "is gone", int status = 1);

  /// All is over. @param final as far as there is a final tag.
  void end_here(int status, logical_time final);

  /// How this process and its nodes are; the nodes from before an abort,
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

  using answers = session::answers;

  /// The whole report of the coordinator's process.
  report complete(report x, const answers& of_others);

  /// What there is to say without the nodes. From any thread.
  report summary() const;

  /// Logs a report, and writes it to the file that `opts().report` names.
  void give(const report& x);

  void give(const report& x, const std::string& text);

  /// Gives the report of an abort.
  void give_last_report();

  /// What is known of a node without asking it, as text.
  std::string describe(engine::node_id id);

  /// Whether the log tells of nodes to which an abort is not put down.
  bool verbose_end() const;

  /// Warns of nodes of this process that are behind, but cannot say so
  /// themselves, and sees to it that it is called again.
  void watch_lag();

  /// Which process runs a node, as a remark; empty if it is this one.
  std::string place_of(engine::node_id id) const;

  /// Tells whether a node's code runs, as far as it is known.
  bool runs_code(engine::node_id id);

  /// Tells whether nodes wait for physical time.
  bool follows_clock() const noexcept {
    return follows_clock_;
  }

private:
  /// How many there are; 0 if there is but this one.
  engine::process_id process_count() const noexcept {
    return static_cast<engine::process_id>(nodes_.processes().size());
  }

  std::shared_ptr<observation> new_observation() const;

  /// Looks at the nodes of this process.
  std::shared_ptr<observation> observe_nodes();

  report make_report(const observation& x);

  /// Puts what another process has told, or that it has not, into a report.
  void add(report& to, engine::process_id process,
           const std::optional<process_report_reply>& x);

  /// What another process said of a node, not long ago; null if nothing.
  const node_report* foreign_report(engine::node_id id);

  /// Lets `watch_lag` be called after a pause.
  void watch_lag_later();

  /// What the nodes of this process do, as far as that may take too long.
  std::vector<lag_watch::sight> busy_nodes() const;

  /// How many of those that do nothing have something to do that is late.
  std::size_t count_idle_late(const std::vector<lag_watch::sight>& busy);

  /// Lets the trace of the coordinator's process say that the application ends
  /// before it has started. @param ended whether somebody wants it to.
  void trace_unstarted(bool ended);

  /// Agrees on the start with the other processes. @returns whether it begins.
  bool begin_together(const std::shared_ptr<runtime>& self);

  /// Ends the process if this one's nodes do not leave in time.
  void watch_nodes();

  /// Some of the trace could not be written.
  /// @returns the status that `run` ends with instead of this one.
  int trace_lost(int status);

  /// @param state null if it is not known.
  node_report describe(engine::node_id id, node_stage stage,
                       const engine::snapshot* state) const;

  engine::node_config configure(engine::node_id id) const;

  void spawn(const std::shared_ptr<runtime>& self);

  void on_signal(int signal, int count);

  /// Ends this process without the coordinator, which is elsewhere, if that
  /// does not react to a second signal.
  void expect_force();

  /// Ends the process, without a word, if `check` is not true after the grace
  /// period and a bit. From any thread.
  void expect(std::function<bool()> check);

  caf::actor_system* system_;
  options options_;
  std::shared_ptr<log_context> log_;
  std::shared_ptr<spdlog::logger> coordinator_log_;
  node_directory nodes_;
  std::vector<shared_loop_time_table*> loop_time_tables_; // by loop
  engine::topology graph_;
  engine::topology::wiring wiring_;
  std::unique_ptr<trace_writer> trace_;
  std::shared_ptr<detail::drill> drill_;
  timekeeper time_;
  std::vector<engine::node_id> local_; // that this process runs, ascending
  std::vector<node_runner*> actors_;   // null elsewhere
  std::vector<node_handle> handles_;
  std::unique_ptr<session> others_;
  coordinator_handle coordinator_;
  bool follows_clock_ = false;
  std::atomic<std::uint64_t> expected_{0};
  std::atomic<std::uint64_t> pong_{0};
  std::atomic<std::size_t> alive_{0};  // of the nodes of this process
  std::atomic<bool> orphaned_{false};  // no coordinator ends this process
  std::vector<bool> forced_processes_; // for the coordinator
  std::unique_ptr<std::atomic<std::uint64_t>[]> progress_; // by process
  answers foreign_reports_; // for the coordinator; none before it has asked
  std::int64_t foreign_reports_at_ = 0;
  std::optional<lag_watch> lag_watch_; // if there is the option `lag_warn`

  std::unique_ptr<std::atomic<node_stage>[]> stages_;
  std::shared_ptr<observation> last_look_; // set before nodes are forced

  mutable std::mutex mutex_;     // protects what follows
  bool has_actors_ = false;      // they are alive, and may be looked at
  std::optional<int> requested_; // from outside, before there were any
  std::optional<force_application> forced_; // the same
  report summary_;                          // without nodes
};

} // namespace caf::rosia::detail
