// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/actor/node_actor.hpp"
#include "compat/claimable.hpp"
#include "engine/host.hpp"
#include "engine/node.hpp"
#include "nodes/inbox.hpp"
#include "nodes/node_access.hpp"
#include "runtime/messages.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <atomic>
#include <memory>

namespace caf::rosia::detail {

class run_context;

/// The actor that runs a node: carries out what the engine decides. The
/// protocol's messages come through CAF's mailbox, data through the node's
/// inbox beside it, and both schedule the actor by the same token, the
/// mailbox's blocked state.
class node_runner final
  : public node_actor,
    public engine::host,
    public node_environment,
    public claimable {
public:
  // -- constructors, destructors ----------------------------------------------

  /// @param run outlives the actor's activity: it ends after all nodes' exits.
  node_runner(caf::actor_config& cfg, std::shared_ptr<run_context> run,
              rosia::node& self);

  ~node_runner() override;

  // -- scheduling -------------------------------------------------------------

  void signal() override;

  bool claim() override;

  void run_claimed(caf::execution_unit& unit) override;

  void schedule_claimed() override;

  // -- observing --------------------------------------------------------------

  /// Records the node's state if nobody runs it. From any thread, while the
  /// actor is alive.
  /// @returns false if it is being run, or about to.
  bool observe(observation& into);

  /// Tells whether it has been woken and nobody has run it since. From any
  /// thread, while the actor is alive.
  bool waits_for_worker() const noexcept {
    return signalled_.load(std::memory_order_relaxed);
  }

  // -- overridden functions of CAF --------------------------------------------

  const char* name() const override;

  caf::resumable::resume_result resume(
    caf::execution_unit* unit, size_t max_throughput) override;

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

  void failed(const engine::failure& error) override;

  void shutdown_failed(const engine::failure& error) override;

  void lagging(logical_time tag, std::int64_t ns) override;

  void dropped(bool trigger, std::uint32_t index,
               engine::drop_reason why) override;

  // -- implementation ---------------------------------------------------------

  /// Does what there is to do, within bounds. Does not begin with more of it
  /// after `turn` nanoseconds.
  caf::resumable::resume_result activate_once(
    caf::execution_unit* unit, std::int64_t turn);

  /// Handles messages of the protocol.
  caf::resumable::resume_result handle_messages(caf::execution_unit* unit);

  void start();

  void ask_shutdown(const application_request_shutdown& x);

  void take_final(const shutdown_message& x);

  void abort();

  engine::node& engine() noexcept;

  /// Tells a drill, if there is one, about a step.
  void rehearse(const char* step, logical_time tag);

  /// Sends other processes what they have to know before this node may go idle.
  void notify_others();

  /// Aborts the application if `shutdown()` does not return in time. Nobody
  /// else limits it where a node ends by itself, as others may run for long.
  void limit_shutdown();

  /// Reports the node's exit. Nothing of the node may be touched afterwards.
  void report_exit();

  std::shared_ptr<run_context> run_;
  rosia::node* node_;
  std::atomic<bool> signalled_{false};
  bool reported_ = false;
  bool owes_acks_ = false; // the engine wanted to wake a remote node
  std::uint64_t shutdown_deadline_ = 0;        // of the timekeeper
  std::int64_t timer_ = engine::node::no_wake; // the earliest wake that is set
  std::int64_t last_lag_warning_ = 0;
  std::uint64_t dropped_ = 0;
};

} // namespace caf::rosia::detail
