// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/actor/messages.hpp"
#include "caf/rosia/actor/timekeeper.hpp"
#include "caf/rosia/detail/logging.hpp"
#include "caf/rosia/detail/trace_writer.hpp"
#include "caf/rosia/engine/topology.hpp"
#include "caf/rosia/node.hpp"
#include "caf/rosia/options.hpp"

#include <caf/actor_system.hpp>

#include <atomic>
#include <memory>
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

  /// Called by a node's actor when the node has left.
  void left(engine::node_id id) noexcept {
    left_[id].store(true, std::memory_order_release);
  }

  /// Called by the coordinator when all nodes have left.
  void finish(int status);

  /// Ends the process: there are nodes that cannot be ended.
  [[noreturn]] void give_up(int status);

  /// Grows whenever a node gets on. From any thread.
  std::uint64_t progress() const noexcept;

  /// Tells whether nodes wait for physical time.
  bool follows_clock() const noexcept {
    return follows_clock_;
  }

private:
  engine::node_config configure(engine::node_id id) const;

  void spawn(const std::shared_ptr<runtime>& self);

  void on_signal(int signal, int count);

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
  std::unique_ptr<std::atomic<bool>[]> left_;
  std::atomic<int> status_{0};
  bool follows_clock_ = false;
};

} // namespace caf::rosia::detail
