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

/// How a process is, and how its nodes are, as it tells others.
struct process_report_reply {
  process_report self;
  std::vector<std::pair<std::uint32_t, node_report>> nodes;

  // If the coordinator has a live page: what the nodes have done so far, and
  // lines of the log.
  std::vector<std::pair<std::uint32_t, detail::node_counts>> counts = {};
  std::vector<detail::log_ring::line> log = {};
};

namespace detail {

class run_context;

/// Somebody wants the application to end before it has started.
class ended_early : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// What is said about that: also that nothing is saved, if it was to be.
std::string text_of(const ended_early& x, const options& opts);

/// The other processes of an application, as the runtime of this one sees them.
/// The folder distributed/ implements it; an application in one process has
/// none. May be called from any thread, unless said otherwise.
class session {
public:
  // -- member types -----------------------------------------------------------

  /// How much has been sent so far.
  struct traffic {
    std::uint64_t messages = 0; // of nodes
    std::uint64_t frames = 0;
    std::uint64_t without_messages = 0; // of these
  };

  /// By process: what others have told; nothing of those that did not answer.
  using answers = std::vector<std::optional<process_report_reply>>;

  // -- constants --------------------------------------------------------------

  /// How long a process may take to tell how it is, and how long the
  /// coordinator's may take to tell how all are.
  static constexpr std::chrono::milliseconds patience_with_process{400};
  static constexpr std::chrono::seconds patience_with_coordinator{2};

  // -- destructors ------------------------------------------------------------

  virtual ~session();

  // -- from start to end, from the thread that runs the application -----------

  /// Connects this process with others.
  /// @throws ended_early if somebody wants the application to end.
  /// @throws std::runtime_error naming who does not answer.
  virtual void meet(const std::vector<engine::process_id>& processes) = 0;

  /// Makes what carries messages of nodes. @param run outlives it.
  virtual void open(run_context& run) = 0;

  /// Waits until all are ready. @returns when to start, by the monotonic clock
  /// in nanoseconds.
  /// @throws ended_early if somebody wants the application to end.
  /// @throws std::runtime_error if there will be no start.
  virtual std::int64_t begin(const std::shared_ptr<runtime>& run) = 0;

  /// Somebody has ended the application before its start: tells the others.
  virtual void dismiss() = 0;

  /// All nodes of this process have left: nothing is carried any more.
  virtual void close_links() = 0;

  /// Waits until messages of others do not get to the application any more.
  virtual void close() = 0;

  // -- the end, from any thread -----------------------------------------------

  /// All is over: tells the others, waits for them, and calls `done`.
  virtual void end_all(
    int status, logical_time final, std::chrono::nanoseconds patience,
    std::function<void()> done)
    = 0;

  /// There is no start to wait for any more: `begin` returns at once.
  virtual void hurry() = 0;

  /// Kills what was started from here, at once.
  virtual void kill_others() noexcept = 0;

  // -- messages of nodes ------------------------------------------------------

  /// Takes what a node has for one of another process, and leaves `batch`
  /// empty. It is sent with the next `flush`.
  virtual void send(engine::node_id from, engine::node_id to,
                    std::vector<engine::envelope>& batch)
    = 0;

  /// So many messages of a connection with another process were sent in the
  /// run that this one continues: they count as sent, and as received. Called
  /// before the start.
  virtual void note_restored(std::uint32_t connection, std::uint64_t count) = 0;

  /// A node of this process may go idle. Called at the end of each activation.
  /// @param owes_acks whether the engine wanted to wake a remote node.
  virtual void note_idle(engine::node_id id, bool owes_acks) = 0;

  /// A node of this process has left in order: its senders need not wait.
  virtual void note_exit(engine::node_id id) = 0;

  /// Sends what was taken, and what came of the calls above. Called before the
  /// nodes that have called them wait.
  virtual void flush() = 0;

  /// Nothing before `open`.
  virtual std::optional<traffic> sent() const = 0;

  // -- messages of the protocol -----------------------------------------------

  /// The actor by which others know who sends them something; none after its
  /// end.
  virtual caf::actor self() const = 0;

  /// The actor of another process; none of this one.
  virtual caf::actor peer(engine::process_id process) const = 0;

  /// The nodes of another process have to leave at once. Called by the
  /// coordinator; the second time it does nothing.
  virtual void abort(engine::process_id process, std::string reason) = 0;

  /// Tells all other processes why the application ends, for their logs.
  virtual void announce_end(const std::string& reason) = 0;

  /// Asks the other processes how far they are on the way to the final tag.
  virtual void request_progress(logical_time final) = 0;

  /// Takes a process's answer.
  virtual void note_progress(
    engine::process_id process, std::uint64_t progress) noexcept = 0;

  /// The sum of the answers. Grows whenever one does.
  virtual std::uint64_t progress() const noexcept = 0;

  /// Another process is gone: nothing more is sent there.
  virtual void lose(engine::process_id process) = 0;

  virtual bool has_lost(engine::process_id process) const noexcept = 0;

  // -- what the actor of this process does, where there is no coordinator -----

  /// Logs a report.
  virtual void give_report() = 0;

  /// Calls `lag_monitor::look`.
  virtual void watch_lag() = 0;

  /// Goes on without the coordinator.
  virtual void leave_coordinator(std::string reason, int status) = 0;

  // -- reports ----------------------------------------------------------------

  /// Asks the processes from one to before another, all at once.
  virtual answers request_reports(
    engine::process_id first, engine::process_id last)
    = 0;

  /// Asks the coordinator's process for a report of all; nothing after the end.
  virtual std::optional<caf::expected<report>> request_report_of_all() = 0;
};

} // namespace detail

} // namespace caf::rosia
