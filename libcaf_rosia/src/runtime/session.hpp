// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "base/log_ring.hpp"
#include "caf/rosia/fwd.hpp"
#include "caf/rosia/logical_time.hpp"
#include "caf/rosia/report.hpp"
#include "engine/envelope.hpp"
#include "engine/remote_loop_table.hpp"
#include "runtime/node_counters.hpp"

#include <caf/actor.hpp>
#include <caf/expected.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace caf::rosia {

/// The state of a process and its nodes, as reported to other processes.
struct process_report_reply {
  process_report self;
  std::vector<std::pair<std::uint32_t, node_report>> nodes;

  // Counters of the nodes and lines of the log, for the coordinator's live
  // page.
  std::vector<std::pair<std::uint32_t, detail::node_counts>> counts = {};
  std::vector<detail::log_ring::line> log = {};
};

namespace detail {

class run_context;

/// Thrown if the end of the application is requested before its start.
class ended_early : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Describes the early end, and the lack of a checkpoint if checkpoints are
/// enabled.
std::string text_of(const ended_early& x, const options& opts);

/// The other processes of an application, as seen by the runtime. Implemented
/// in the folder distributed/. There is none if the application has only one
/// process. May be called from any thread, unless said otherwise. Tests:
/// test/distributed.
class session {
public:
  // -- member types -----------------------------------------------------------

  /// The amount of data sent until now.
  struct traffic {
    std::uint64_t messages = 0; // of nodes
    std::uint64_t frames = 0;
    std::uint64_t without_messages = 0; // the frames without messages
  };

  /// By process: the reports of other processes; nothing for a process that did
  /// not answer.
  using answers = std::vector<std::optional<process_report_reply>>;

  // -- constants --------------------------------------------------------------

  /// Time that a process may take for a report of itself, and the coordinator's
  /// process for a report of all.
  static constexpr std::chrono::milliseconds patience_with_process{400};
  static constexpr std::chrono::seconds patience_with_coordinator{2};

  // -- destructors ------------------------------------------------------------

  virtual ~session();

  // -- from start to end, from the thread that runs the application -----------

  /// Connects this process with the given processes.
  /// @throws ended_early if an end of the application is requested.
  /// @throws std::runtime_error naming a process that does not answer.
  virtual void meet(const std::vector<engine::process_id>& processes) = 0;

  /// Creates the transport of nodes' messages. @param run must outlive it.
  virtual void open(run_context& run) = 0;

  /// Waits until all processes are ready.
  /// @returns the time of the start, by the monotonic clock, in nanoseconds.
  /// @throws ended_early if an end of the application is requested.
  /// @throws std::runtime_error if the application does not start.
  virtual std::int64_t begin(const std::shared_ptr<runtime>& run) = 0;

  /// Notifies the other processes that the application was ended before its
  /// start.
  virtual void dismiss() = 0;

  /// Stops the transport of messages, after the exit of all nodes of this
  /// process.
  virtual void close_links() = 0;

  /// Waits until messages of other processes no longer reach the application.
  virtual void close() = 0;

  // -- the end, from any thread -----------------------------------------------

  /// Ends the other processes, waits for them, and calls `done`.
  virtual void end_all(
    int status, logical_time final, std::chrono::nanoseconds patience,
    std::function<void()> done)
    = 0;

  /// Makes `begin` return at once, because the application does not start.
  virtual void hurry() = 0;

  /// Kills the processes started from here, at once.
  virtual void kill_others() noexcept = 0;

  // -- messages of nodes ------------------------------------------------------

  /// Takes the messages of a node for a node of another process, and leaves
  /// `batch` empty. They are sent with the next `flush`.
  virtual void send(engine::node_id from, engine::node_id to,
                    std::vector<engine::envelope>& batch)
    = 0;

  /// Counts messages of a connection with another process as sent and received,
  /// because they were sent in the run that this one resumes. Called before the
  /// start.
  virtual void note_restored(std::uint32_t connection, std::uint64_t count) = 0;

  /// Notes that a node of this process may go idle. Called at the end of each
  /// activation.
  /// @param owes_acks whether the engine requested to wake a remote node.
  virtual void note_idle(engine::node_id id, bool owes_acks) = 0;

  /// Notes the regular exit of a node of this process, so that its senders need
  /// not wait.
  virtual void note_exit(engine::node_id id) = 0;

  /// Sends everything that results from the calls above. Called before the
  /// nodes that made these calls wait.
  virtual void flush() = 0;

  /// Returns nothing before `open`.
  virtual std::optional<traffic> sent() const = 0;

  // -- messages of the protocol -----------------------------------------------

  /// Returns the actor that sends messages to other processes; none after its
  /// end.
  virtual caf::actor self() const = 0;

  /// Returns the actor of another process; none for this process.
  virtual caf::actor peer(engine::process_id process) const = 0;

  /// Aborts the nodes of another process. Called by the coordinator. Further
  /// calls have no effect.
  virtual void abort(engine::process_id process, std::string reason) = 0;

  /// Sends the reason for the end to all other processes, for their logs.
  virtual void announce_end(const std::string& reason) = 0;

  /// Requests the progress toward the final tag from the other processes.
  virtual void request_progress(logical_time final) = 0;

  virtual void note_progress(
    engine::process_id process, std::uint64_t progress) noexcept = 0;

  /// Returns the sum of the answers. It grows with each of them.
  virtual std::uint64_t progress() const noexcept = 0;

  /// Notes the loss of another process: nothing more is sent there.
  virtual void lose(engine::process_id process) = 0;

  virtual bool has_lost(engine::process_id process) const noexcept = 0;

  // -- the actor of a process without the coordinator -------------------------

  /// Logs a report.
  virtual void give_report() = 0;

  /// Calls `lag_monitor::look`.
  virtual void watch_lag() = 0;

  /// Continues without the coordinator.
  virtual void leave_coordinator(std::string reason, int status) = 0;

  // -- reports ----------------------------------------------------------------

  /// Requests reports from the processes in the range [first, last), all at
  /// once.
  virtual answers request_reports(
    engine::process_id first, engine::process_id last)
    = 0;

  /// Requests a report of all from the coordinator's process; returns nothing
  /// after the end.
  virtual std::optional<caf::expected<application_report>>
  request_report_of_all() = 0;
};

} // namespace detail

} // namespace caf::rosia
