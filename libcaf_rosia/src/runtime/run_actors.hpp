// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/sending.hpp"
#include "runtime/messages.hpp"
#include "runtime/node_command.hpp"
#include "runtime/node_directory.hpp"
#include "runtime/node_mailboxes.hpp"
#include "runtime/session.hpp"

#include <caf/actor.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace caf::rosia::detail {

class node_runner;
class run_context;

/// The addresses of a run: the runners of this process's nodes, the
/// coordinator, and the session with the other processes. Created and changed
/// before the start of the nodes. Then any thread may send messages. Tests:
/// test/runtime, test/distributed.
class run_actors {
public:
  // -- constructors, destructors ----------------------------------------------

  /// @param nodes must outlive this object.
  /// @param others the session with the other processes; null if there are
  ///        none.
  run_actors(const node_directory& nodes, std::unique_ptr<session> others);

  run_actors(const run_actors&) = delete;

  run_actors& operator=(const run_actors&) = delete;

  ~run_actors();

  // -- properties -------------------------------------------------------------

  /// Returns the runner of a node. @pre This process runs the node.
  node_runner& runner_at(engine::node_id id) const noexcept {
    return *runners_[id];
  }

  /// Returns the actors of this process's nodes, which exist on demand.
  node_mailboxes& mailboxes() noexcept {
    return mailboxes_;
  }

  /// Returns the coordinator; an invalid handle if another process has it.
  const coordinator_handle& coordinator() const noexcept {
    return coordinator_;
  }

  /// Returns the session with the other processes; null if there are none.
  session* others() const noexcept {
    return others_.get();
  }

  // -- modifiers --------------------------------------------------------------

  /// Creates the runner of a node of this process. This object owns it.
  node_runner& make_runner(run_context& run, engine::node_id id);

  /// Sets the coordinator. Called only in its process.
  void coordinator(coordinator_handle handle) {
    coordinator_ = std::move(handle);
  }

  /// Releases all actors, because they keep the run alive. Called when no node
  /// is running.
  void release();

  // -- messages ---------------------------------------------------------------

  /// Sends a command to a node of this process. Has no effect after the node's
  /// exit.
  void tell(engine::node_id id, const node_command& x);

  /// Sends a message of the protocol to a node in any process.
  template <class T>
  void send_to_node(engine::node_id id, const T& message) {
    if (nodes_.find(id) != nullptr)
      tell(id, message);
    else if (auto peer = others_->peer(nodes_.home(id)))
      send_from(others_->self(), peer, id, message);
  }

  /// Sends a message of the protocol to the coordinator.
  template <class T>
  void send_to_coordinator(const T& message) {
    if (coordinator_)
      send_anonymously(coordinator_, message);
    else if (auto hub = others_ ? others_->peer(0) : caf::actor{})
      send_from(others_->self(), hub, message);
  }

private:
  const node_directory& nodes_;
  std::vector<std::unique_ptr<node_runner>> runners_; // null if not local
  node_mailboxes mailboxes_;
  std::unique_ptr<session> others_;
  coordinator_handle coordinator_;
};

} // namespace caf::rosia::detail
