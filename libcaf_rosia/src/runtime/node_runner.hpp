// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/node_handle.hpp"
#include "engine/host.hpp"
#include "engine/node.hpp"
#include "nodes/inbox.hpp"
#include "nodes/node_access.hpp"
#include "runtime/checkpoints.hpp"
#include "runtime/executor.hpp"
#include "runtime/lag_lines.hpp"
#include "runtime/messages.hpp"
#include "runtime/node_command.hpp"
#include "runtime/node_counters.hpp"

#include <caf/error.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace caf::rosia::detail {

class resumption;
class run_context;

/// Runs a node, or rather has its executor run it: carries out what the engine
/// decides, and what the node is told. It has an actor only if somebody asks
/// for one: see `node_mailboxes`.
class node_runner final
  : public engine::host,
    public node_environment,
    public waker {
public:
  // -- constructors, destructors ----------------------------------------------

  /// @param run its owner.
  node_runner(run_context& run, rosia::node& self);

  ~node_runner() override;

  // -- scheduling -------------------------------------------------------------

  void signal() override;

  /// Tells the node something. Has no effect once it has left. From any thread,
  /// before the run is over.
  void tell(const node_command& x);

  /// What runs the node, by now. From any thread.
  executor& runs_on() const noexcept {
    // Who moves the node looks again, after the move, for what was meant for it
    // before.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return *executor_.load(std::memory_order_seq_cst);
  }

  // -- observing --------------------------------------------------------------

  /// Records the node's state if nobody runs it. From any thread, while the
  /// node has not left.
  /// @returns false if it is being run, or about to.
  bool observe(observation& into);

  // -- for the executor, with its token ---------------------------------------

  void move_to(executor& x) noexcept {
    executor_.store(&x, std::memory_order_seq_cst);
  }

  /// Does what the node is told.
  void obey(const node_command& x);

  /// Learns where checkpoints are taken, from the latest notices.
  /// @param count how many there have been.
  void take_notices(std::span<const checkpoints::notice> news,
                    std::uint64_t count);

  /// Sends other processes what they have to know before this node may go idle.
  void notify_others();

  /// Tells whether the node's exit is reported.
  bool has_reported() const noexcept {
    return reported_;
  }

  /// Tells whether the node has left, and nobody knows yet.
  bool has_to_report() noexcept {
    return !reported_ && engine().left();
  }

  /// Reports the node's exit. Nothing of the node may be touched afterwards.
  /// @param unit where it runs.
  void report_exit(detail::worker* unit);

  /// Reports that another part of the program has ended the node's actor, and
  /// so the node [6.2]. Nothing of it may be touched afterwards.
  void report_vanished(const caf::error& reason);

  /// The node turned out to be heavy. @returns how often it did.
  unsigned note_heavy() noexcept {
    return ++times_heavy_;
  }

  /// Returns whether it ever did.
  bool was_heavy() const noexcept {
    return times_heavy_ > 0;
  }

  engine::node& engine() noexcept;

  // -- overridden functions of node_environment -------------------------------

  std::int64_t elapsed() override;

  engine::thread_time time_of_thread() override;

  std::shared_ptr<spdlog::logger> make_logger(const std::string& name) override;

  node_actor* self() override;

private:
  // -- overridden functions of engine::host -----------------------------------

  std::int64_t coarse_elapsed(bool executes) override;

  bool has_mail() override;

  void drain(std::vector<engine::envelope>& into) override;

  void send(engine::node_id receiver,
            std::vector<engine::envelope>& batch) override;

  void wake(engine::node_id node) override;

  void close() override;

  void request(logical_time proposal, int status) override;

  void answer(logical_time tag) override;

  void answer_checkpoint(logical_time tag) override;

  void save(engine::saved_node part) override;

  void failed(const engine::failure& error) override;

  void shutdown_failed(const engine::failure& error) override;

  void lagging(logical_time tag, std::int64_t ns, bool ended) override;

  void warn(const std::string& text) override;

  void dropped(engine::drop_reason reason) override;

  void unexecuted(engine::node_id receiver, std::size_t values) override;

  // -- implementation ---------------------------------------------------------

  void carry_out(const start_message&);

  void carry_out(const application_request_shutdown& x);

  void carry_out(const shutdown_message& x);

  void carry_out(const abort_message&);

  void carry_out(const observation_request& x);

  /// Requests what the node had requested before the checkpoint, from which the
  /// run continues. Nothing of the node comes before: it is not left out.
  void request_again(const resumption& from);

  /// Tells the coordinator, and the count of exits.
  void report_end(const exit_message& last);

  /// Its state. @pre The caller has the token of the executor.
  engine::snapshot look();

  /// Null if nobody counts.
  node_counters* own_counters() noexcept;

  /// Tells a drill, if there is one, about a step.
  void rehearse(const char* step, logical_time tag);

  /// Aborts the application if `shutdown()` does not return in time. Nobody
  /// else limits it where a node ends by itself, as others may run for long.
  void limit_shutdown();

  /// The other nodes that lag, for a warning.
  std::string lagging_too(const lag_lines::node_set& others) const;

  /// What few nodes need.
  struct rare_state {
    std::uint64_t shutdown_deadline = 0; // of the timekeeper
    std::uint64_t notices = 0;           // that it knows
    std::uint64_t replaced = 0;          // values, by newer ones
    std::uint64_t spaced_out = 0;        // values, by a spacing
  };

  rare_state& rare() {
    if (!rare_)
      rare_ = std::make_unique<rare_state>();
    return *rare_;
  }

  run_context* run_;
  rosia::node* node_;
  std::atomic<executor*> executor_{nullptr};
  std::unique_ptr<rare_state> rare_; // null until it is needed
  std::int64_t last_look_ = -1;      // by the observers' clock, at the lag
  std::uint32_t dropped_ = 0;
  std::uint16_t times_heavy_ = 0;
  bool reported_ = false;
  bool owes_acks_ = false; // the engine wanted to wake a remote node
};

} // namespace caf::rosia::detail
