// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/options.hpp"
#include "engine/tracer.hpp"
#include "runtime/trace_line.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace caf::rosia::detail {

/// Returns the name of an ending in traces and run files.
const char* text_of(engine::ending x);

/// Writes a trace: one JSON object a line, see the manual's chapter on traces.
/// From any thread. The lines of all nodes are in causal order. Tests:
/// test/runtime/report_test.cpp, test/distributed/traces_test.py.
class trace_writer : public engine::tracer {
public:
  // -- constructors, destructors ----------------------------------------------

  explicit trace_writer(const std::string& path) : output_(path) {
    // nop
  }

  explicit trace_writer(std::function<void(std::string_view)> sink)
    : output_(std::move(sink)) {
    // nop
  }

  trace_output& output() noexcept {
    return output_;
  }

  /// Begins a line. @pre `graph` was called.
  trace_line line(const char* event) {
    return {output_, names_, event};
  }

  /// Writes the description of the graph. Called before all other functions.
  /// @param nodes must outlive the writing.
  void graph(const options& opts, const node_directory& nodes,
             const graph_description& graph);

  // -- the coordinator's events -----------------------------------------------

  /// Writes a request to end; without a node, it is from outside.
  void request(std::optional<engine::node_id> node, logical_time tag,
               logical_time proposal, int status);

  void final(logical_time tag);

  /// Writes an abort. @param started whether the application had started.
  void aborted(bool started = true);

  /// Writes that a node is now executed in the group with the first node
  /// `first`, or alone.
  void group(engine::node_id node, std::optional<engine::node_id> first);

  void end(int status);

  // -- overridden functions of engine::tracer ---------------------------------

  void start(engine::node_id node, std::int64_t elapsed) override;

  void execute(engine::node_id node, logical_time tag, logical_time stat,
               std::int64_t elapsed) override;

  void go_on(engine::node_id node, logical_time tag, std::uint32_t reaction,
             std::int64_t elapsed) override;

  void execute_last(engine::node_id node, logical_time tag,
                    std::int64_t elapsed) override;

  void resume(engine::node_id node, logical_time tag,
              std::uint32_t reaction) override;

  void input(engine::node_id node, logical_time tag, std::uint32_t port,
             std::uint32_t connection, const engine::value& content) override;

  void schedule(engine::node_id node, logical_time tag, std::uint32_t action,
                logical_time due, const engine::value& content) override;

  void withdraw(engine::node_id node, logical_time tag, std::uint32_t action,
                logical_time due) override;

  void action(engine::node_id node, logical_time tag, std::uint32_t action,
              const engine::value& content) override;

  void reaction(engine::node_id node, logical_time tag,
                std::uint32_t reaction) override;

  void mode(engine::node_id node, logical_time tag, std::uint32_t action,
            bool history) override;

  void watchdog(engine::node_id node, logical_time tag, std::uint32_t action,
                std::int64_t expiry) override;

  void expire(engine::node_id node, std::uint32_t action, logical_time due,
              std::int64_t elapsed) override;

  void tardy(engine::node_id node, std::uint32_t port, std::uint32_t connection,
             logical_time arrival, logical_time due) override;

  void missed(engine::node_id node, logical_time tag, std::uint32_t reaction,
              std::int64_t limit) override;

  void ran(engine::node_id node, logical_time tag, std::uint32_t reaction,
           std::int64_t began, std::int64_t ended) override;

  void send(engine::node_id node, logical_time tag, std::uint32_t connection,
            logical_time arrival, const engine::value& content) override;

  void promise(engine::node_id node, std::uint32_t connection,
               logical_time promise) override;

  void drop(engine::node_id node, std::uint32_t input,
            engine::drop_reason reason) override;

  void proposal(engine::node_id node, logical_time proposal) override;

  void answer(engine::node_id node, logical_time tag) override;

  void done(engine::node_id node, logical_time tag) override;

  void final_taken(engine::node_id node, logical_time tag) override;

  void error(engine::node_id node, const engine::failure& error) override;

  void shutdown(engine::node_id node, logical_time tag,
                engine::ending ending) override;

  void exit(engine::node_id node) override;

private:
  trace_output output_;
  trace_names names_;
};

/// Writes the state that a run takes from a checkpoint.
class checkpoint_trace {
public:
  explicit checkpoint_trace(trace_writer& trace) noexcept : trace_(&trace) {
    // nop
  }

  /// Notes that the run resumes from a checkpoint at this tag. Called after
  /// `graph`.
  void resumed(logical_time tag);

  /// Writes what the checkpoint has of a node. Called before the node starts,
  /// like the next two functions.
  /// @param tag the last one that it executed.
  /// @param left whether it had ended by itself.
  void restored(engine::node_id node, logical_time tag, bool left);

  /// Writes a message that was in transit to a node.
  void in_transit(engine::node_id node, std::uint32_t port,
                  std::uint32_t connection, logical_time arrival,
                  const engine::value& content);

  /// Writes an event that a node had scheduled.
  void pending(engine::node_id node, std::uint32_t action, logical_time due,
               const engine::value& content);

  /// Records that a mode of a node was active before the checkpoint.
  /// @param is_active whether it was active at the checkpoint.
  void visited(engine::node_id node, std::uint32_t action, bool is_active);

  /// Records an event of a mode that was not active.
  void suspended(engine::node_id node, std::uint32_t action,
                 const delay& distance, const engine::value& content);

  /// Records that a watchdog ran at the checkpoint.
  void running(engine::node_id node, std::uint32_t action, std::int64_t expiry);

private:
  trace_writer* trace_;
};

} // namespace caf::rosia::detail
