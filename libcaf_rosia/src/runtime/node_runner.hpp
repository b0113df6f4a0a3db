// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/actor/node_actor.hpp"
#include "engine/host.hpp"
#include "engine/node.hpp"
#include "nodes/inbox.hpp"
#include "nodes/node_access.hpp"
#include "runtime/checkpoints.hpp"
#include "runtime/executor.hpp"
#include "runtime/messages.hpp"
#include "runtime/node_counters.hpp"

#include <caf/intrusive_ptr.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

namespace caf::rosia::detail {

class resumption;
class run_context;

/// The actor of a node: carries out what the engine decides. The protocol's
/// messages come through CAF's mailbox, data through the node's inbox beside
/// it. The actor is a mailbox that hands over what it gets: its executor
/// handles the messages, and runs the node.
class node_runner final
  : public node_actor,
    public engine::host,
    public node_environment,
    public waker {
public:
  // -- constructors, destructors ----------------------------------------------

  /// @param run outlives the actor's activity: it ends after all nodes' exits.
  node_runner(caf::actor_config& cfg, std::shared_ptr<run_context> run,
              rosia::node& self);

  ~node_runner() override;

  // -- scheduling -------------------------------------------------------------

  void signal() override;

  /// What runs the node, by now. From any thread.
  executor& runs_on() const noexcept {
    // Who moves the node looks again, after the move, for what was meant for it
    // before.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return *executor_.load(std::memory_order_seq_cst);
  }

  // -- observing --------------------------------------------------------------

  /// Records the node's state if nobody runs it. From any thread, while the
  /// actor is alive.
  /// @returns false if it is being run, or about to.
  bool observe(observation& into);

  // -- for the executor, with its token ---------------------------------------

  void move_to(executor& x) noexcept {
    executor_.store(&x, std::memory_order_seq_cst);
  }

  /// Handles messages of the protocol. @pre The caller has the mailbox's token.
  caf::resumable::resume_result handle_messages(detail::worker* unit);

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
  void report_exit();

  /// The node's exit is reported: the executor has nothing to do with its actor
  /// any more. Ends the actor, now or when it is run for its last messages.
  void leave(detail::worker* unit);

  /// Ends an actor that has left its executor. @pre The caller has the
  /// mailbox's token.
  void end(detail::worker* unit);

  /// Tells whether the actor has left its executor. From any thread.
  bool has_left() const noexcept {
    return left_.load(std::memory_order_acquire);
  }

  /// The node turned out to be heavy. @returns how often it did.
  unsigned note_heavy() noexcept {
    return ++times_heavy_;
  }

  engine::node& engine() noexcept;

  // -- overridden functions of CAF --------------------------------------------

  const char* name() const override;

  caf::resumable::resume_result resume(
    detail::worker* unit, size_t max_throughput) override;

  // -- overridden functions of node_environment -------------------------------

  std::int64_t elapsed() override;

  std::shared_ptr<spdlog::logger> make_logger(const std::string& name) override;

  node_actor* self() override;

protected:
  behavior_type make_behavior() override;

private:
  // -- overridden functions of engine::host -----------------------------------

  std::int64_t coarse_elapsed() override;

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

  void lagging(logical_time tag, std::int64_t ns) override;

  void dropped(bool trigger, std::uint32_t index,
               engine::drop_reason why) override;

  // -- implementation ---------------------------------------------------------

  void start();

  /// Requests what the node had requested before the checkpoint, from which the
  /// run continues. Nothing of the node comes before: it is not left out.
  void request_again(const resumption& from);

  void ask_shutdown(const application_request_shutdown& x);

  void take_final(const shutdown_message& x);

  void abort();

  /// Its state. @pre The caller has the token of the executor.
  engine::snapshot look();

  /// Null if nobody counts.
  node_counters* own_counters() noexcept;

  /// Tells a drill, if there is one, about a step.
  void rehearse(const char* step, logical_time tag);

  /// Aborts the application if `shutdown()` does not return in time. Nobody
  /// else limits it where a node ends by itself, as others may run for long.
  void limit_shutdown();

  std::shared_ptr<run_context> run_;
  rosia::node* node_;
  std::atomic<executor*> executor_{nullptr};
  caf::intrusive_ptr<executor> last_executor_; // once the exit is reported
  std::atomic<bool> left_{false};
  bool reported_ = false;
  bool owes_acks_ = false; // the engine wanted to wake a remote node
  std::uint64_t shutdown_deadline_ = 0; // of the timekeeper
  unsigned times_heavy_ = 0;
  std::uint64_t notices_ = 0; // that it knows
  std::int64_t last_lag_warning_ = 0;
  std::int64_t last_look_ = -1; // by the observers' clock, at the lag
  std::uint64_t dropped_ = 0;
};

} // namespace caf::rosia::detail
