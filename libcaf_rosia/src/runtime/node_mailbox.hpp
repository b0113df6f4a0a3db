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

/// The actor of a node. Other actors use it to monitor or end the node, and the
/// node's code uses it to talk to other actors. It passes its messages to the
/// node's executor. Tests: test/runtime/node_actor_test.cpp,
/// test/application/interop_test.cpp.
class node_mailbox final : public node_actor {
public:
  // -- constructors, destructors ----------------------------------------------

  /// @param run the owner of `node`.
  /// @param has_left whether the node's exit was reported.
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

  /// Sets the worker for everything that the node's code schedules through the
  /// actor.
  void run_on(detail::worker* unit);

  /// Keeps the last executor alive while the node's exit is reported. Another
  /// thread may have looked the executor up just before.
  void keep(executor& last);

  /// Ends the actor after the node's exit was reported, now or when it runs for
  /// its last messages. The executor no longer uses the actor.
  void leave(detail::worker* unit);

  /// Ends an actor that left its executor.
  /// @pre The caller has the mailbox's token.
  void end(detail::worker* unit);

  /// Returns why the actor ended.
  const caf::error& end_reason() const noexcept {
    return end_reason_;
  }

  /// Returns whether the actor left its executor. From any thread.
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
