// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/actor/messages.hpp"
#include "caf/rosia/actor/observation.hpp"
#include "caf/rosia/actor/timekeeper.hpp"
#include "caf/rosia/detail/logging.hpp"
#include "caf/rosia/detail/trace_writer.hpp"
#include "caf/rosia/engine/topology.hpp"
#include "caf/rosia/node.hpp"
#include "caf/rosia/options.hpp"
#include "caf/rosia/report.hpp"

#include <caf/actor_system.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
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
          std::vector<node*> nodes, engine::topology graph);

  runtime(const runtime&) = delete;

  runtime& operator=(const runtime&) = delete;

  ~runtime();

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

  std::size_t size() const noexcept {
    return nodes_.size();
  }

  node& at(engine::node_id id) noexcept {
    return *nodes_[id];
  }

  node_actor& actor_at(engine::node_id id) noexcept {
    return *actors_[id];
  }

  /// The handle of a node; invalid before and after the run.
  node_handle handle_of(engine::node_id id) const;

  const std::vector<node_handle>& handles() const noexcept {
    return handles_;
  }

  const coordinator_handle& coordinator_of() const noexcept {
    return coordinator_;
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
  /// not.
  void request_from_outside();

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

  // -- reports ----------------------------------------------------------------

  /// Observes the nodes; waits for those that are busy, but not for long. From
  /// any thread.
  report look();

  /// What there is to say without the nodes. From any thread.
  report summary() const;

  /// Logs a report, and writes it to the file that `opts().report` names.
  void give(const report& x);

  /// Gives the report of an end by force.
  void give_last_report();

  /// What is known of a node without asking it, as text.
  std::string describe(engine::node_id id) const;

  /// Tells whether nodes wait for physical time.
  bool follows_clock() const noexcept {
    return follows_clock_;
  }

private:
  std::shared_ptr<observation> new_observation() const;

  report make_report(const observation& x) const;

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
  std::vector<node*> nodes_;
  engine::topology graph_;
  engine::topology::wiring wiring_;
  std::unique_ptr<trace_writer> trace_;
  timekeeper time_;
  std::vector<node_actor*> actors_;
  std::vector<node_handle> handles_;
  coordinator_handle coordinator_;
  bool follows_clock_ = false;
  std::uint64_t expected_ = 0;
  std::atomic<std::uint64_t> heard_{0};

  std::unique_ptr<std::atomic<node_stage>[]> stages_;
  std::shared_ptr<observation> last_look_; // set before nodes are forced

  mutable std::mutex mutex_; // protects what follows
  bool has_actors_ = false;  // they are alive, and may be looked at
  bool requested_ = false;   // from outside, before there were any
  std::optional<force_application> forced_; // the same
  report summary_;                          // without nodes
};

} // namespace caf::rosia::detail
