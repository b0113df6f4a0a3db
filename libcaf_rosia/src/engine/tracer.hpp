// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"
#include "engine/connection.hpp"
#include "engine/host.hpp"

#include <cstdint>

namespace caf::rosia::engine {

/// The way in which a node ended.
enum class ending : std::uint8_t {
  /// It had nothing left to do.
  done,
  /// It reached the final tag.
  final_tag,
  /// It was aborted.
  aborted,
};

/// Records the events of nodes. Called from the threads that run nodes; the
/// calls for one node are sequential. Reactions are identified by their index,
/// `start()` by `start_reaction`, connections by their number in the order of
/// declaration. Tests: test/trace, test/property.
class tracer {
public:
  static constexpr std::uint32_t start_reaction = ~std::uint32_t{0};

  /// The `connection` of a physical action's value.
  static constexpr std::uint32_t no_connection = ~std::uint32_t{0};

  virtual ~tracer();

  /// Returns elapsed time for the calls below, from the node's host.
  virtual std::int64_t elapsed(host& env);

  virtual void start(node_id node, std::int64_t elapsed) = 0;

  virtual void execute(node_id node, logical_time tag, logical_time stat,
                       std::int64_t elapsed)
    = 0;

  /// Records that the node continues to execute a tag, from this reaction on,
  /// after other nodes of its loop without delay [10.1.10].
  virtual void go_on(node_id node, logical_time tag, std::uint32_t reaction,
                     std::int64_t elapsed);

  /// Records that the node executes the last tag [10.6.1].
  virtual void execute_last(node_id node, logical_time tag,
                            std::int64_t elapsed);

  virtual void resume(node_id node, logical_time tag, std::uint32_t reaction)
    = 0;

  virtual void input(node_id node, logical_time tag, std::uint32_t port,
                     std::uint32_t connection, const value& content)
    = 0;

  /// Records that an event was scheduled for the tag `due`. Actions are
  /// identified by their index.
  virtual void schedule(node_id node, logical_time tag, std::uint32_t action,
                        logical_time due, const value& content)
    = 0;

  /// Records that an event of an action with a spacing, which was scheduled for
  /// the tag `due`, is withdrawn [10.5.2].
  virtual void withdraw(node_id node, logical_time tag, std::uint32_t action,
                        logical_time due);

  /// Records that a scheduled event is present.
  virtual void action(node_id node, logical_time tag, std::uint32_t action,
                      const value& content)
    = 0;

  virtual void reaction(node_id node, logical_time tag, std::uint32_t reaction)
    = 0;

  /// Records that the node enters a mode. Modes are identified by the index of
  /// their action. @param history whether its suspended events continue.
  virtual void mode(node_id node, logical_time tag, std::uint32_t action,
                    bool history);

  /// Records that code started a watchdog, which expires at `expiry`
  /// nanoseconds of elapsed time, or stopped it, if `expiry` is negative.
  /// Watchdogs are identified by the index of their action.
  virtual void watchdog(node_id node, logical_time tag, std::uint32_t action,
                        std::int64_t expiry);

  /// Records that a watchdog has expired, and is present at the tag `due`. In a
  /// replay, it is not called.
  virtual void expire(node_id node, std::uint32_t action, logical_time due,
                      std::int64_t elapsed);

  /// Records that a tardy value was taken, which was meant for the tag
  /// `arrival`. @param due the tag at which it is present; `forever` if it was
  /// dropped.
  virtual void tardy(node_id node, std::uint32_t port, std::uint32_t connection,
                     logical_time arrival, logical_time due);

  /// Records that the reaction that the last `reaction` announced missed its
  /// deadline of `limit` nanoseconds.
  virtual void missed(node_id node, logical_time tag, std::uint32_t reaction,
                      std::int64_t limit);

  /// Records the times of the code that the last `start`, `resume` or
  /// `reaction` announced.
  virtual void ran(node_id node, logical_time tag, std::uint32_t reaction,
                   std::int64_t began, std::int64_t ended);

  /// `arrival` is `never` on a physical connection.
  virtual void send(node_id node, logical_time tag, std::uint32_t connection,
                    logical_time arrival, const value& content)
    = 0;

  virtual void promise(node_id node, std::uint32_t connection,
                       logical_time promise)
    = 0;

  /// Records that the node is done, and waits for the final tag [10.6.4].
  virtual void done(node_id node, logical_time tag);

  /// Records that `node` did not receive a value. Called by the sender if the
  /// node's queue is full.
  virtual void drop(node_id node, std::uint32_t input, drop_reason reason) = 0;

  /// Records that the node was asked to answer a proposal of the final tag.
  virtual void proposal(node_id node, logical_time proposal) = 0;

  virtual void answer(node_id node, logical_time tag) = 0;

  virtual void final_taken(node_id node, logical_time tag) = 0;

  virtual void error(node_id node, const failure& reason) = 0;

  virtual void shutdown(node_id node, logical_time tag, ending outcome) = 0;

  virtual void exit(node_id node) = 0;
};

} // namespace caf::rosia::engine
