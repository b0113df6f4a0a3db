// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/actor/node_actor.hpp"
#include "compat/worker.hpp"

#include <caf/error.hpp>
#include <caf/intrusive_ptr.hpp>

#include <atomic>
#include <memory>

namespace caf::rosia::detail {

class executor;
class node_runner;
class run_context;

/// The actor of a node, for those who ask for it: other actors, which monitor
/// it or end it, and the node's code, which talks to others by it. It hands
/// over what it gets: the node's executor handles the messages.
class node_mailbox final : public node_actor {
public:
  // -- constructors, destructors ----------------------------------------------

  /// @param run the owner of `node`.
  /// @param has_left whether the node's exit is reported.
  node_mailbox(caf::actor_config& cfg, std::shared_ptr<run_context> run,
               node_runner& node, bool has_left);

  ~node_mailbox() override;

  // -- properties -------------------------------------------------------------

  node_runner& node() const noexcept {
    return *node_;
  }

  // -- for the executor, with its token ---------------------------------------

  /// Handles messages. @pre The caller has the mailbox's token.
  caf::resumable::resume_result handle_messages(detail::worker* unit);

  /// What the node's code schedules by the actor belongs to this worker.
  void run_on(detail::worker* unit);

  /// The node's exit is about to be reported. Who has looked its executor up
  /// just now may not have touched it yet.
  void keep(executor& last);

  /// The node's exit is reported: the executor has nothing to do with the actor
  /// any more. Ends the actor, now or when it is run for its last messages.
  void leave(detail::worker* unit);

  /// Ends an actor that has left its executor. @pre The caller has the
  /// mailbox's token.
  void end(detail::worker* unit);

  /// Why the actor has ended.
  const caf::error& end_reason() const noexcept {
    return end_reason_;
  }

  /// Tells whether the actor has left its executor. From any thread.
  bool has_left() const noexcept {
    return left_.load(std::memory_order_acquire);
  }

  // -- overridden functions of CAF --------------------------------------------

  const char* name() const override;

  caf::resumable::resume_result resume(
    detail::worker* unit, size_t max_throughput) override;

protected:
  behavior_type make_behavior() override;

private:
  std::shared_ptr<run_context> run_;
  node_runner* node_;
  caf::intrusive_ptr<executor> last_executor_;
  caf::error end_reason_;
  std::atomic<bool> left_;
};

} // namespace caf::rosia::detail
