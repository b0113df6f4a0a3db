// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "engine/group.hpp"
#include "runtime/executor.hpp"
#include "runtime/observation.hpp"

#include <caf/ref_counted.hpp>
#include <caf/resumable.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace caf::rosia::detail {

class node_runner;
class run_context;

/// Executes a group of nodes on CAF's workers, as one. Whoever has its token
/// owns the nodes, and all of their actors but the mailboxes. Lives as long as
/// the actors of its members, and as the scheduler has it.
class group_runner final
  : public executor,
    public caf::ref_counted,
    public caf::resumable {
public:
  // -- constructors -----------------------------------------------------------

  explicit group_runner(std::shared_ptr<run_context> run);

  // -- before the start -------------------------------------------------------

  /// Adds a node, whose engine is wired.
  void add(node_runner& x);

  // -- scheduling -------------------------------------------------------------

  bool claim() override;

  void schedule(caf::execution_unit* unit) override;

  void drop_reference() override;

  executor::outcome activate_once(
    caf::execution_unit* unit, std::int64_t turn) override;

  /// Takes over a mailbox with messages, and its token. From any thread.
  /// @param unit the worker that this is called on.
  void handle_mailbox_of(node_runner& x, caf::execution_unit* unit);

  // -- observing --------------------------------------------------------------

  /// Records a member's state if nobody runs the group. From any thread.
  /// @returns false if it is being run, or about to.
  bool observe(const engine::node& member, observation& into);

  /// Tells whether it has been woken and nobody has run it since. From any
  /// thread.
  bool waits_for_worker() const noexcept {
    return signalled_.load(std::memory_order_relaxed)
           && !running_.load(std::memory_order_relaxed);
  }

  // -- overridden functions of CAF --------------------------------------------

  caf::resumable::resume_result resume(
    caf::execution_unit* unit, size_t max_throughput) override;

  void intrusive_ptr_add_ref_impl() override;

  void intrusive_ptr_release_impl() override;

private:
  ~group_runner() override;

  bool take_token() noexcept;

  /// Gives the token back. @returns false if there is more to do, and the
  /// caller has it again.
  bool give_token_back() noexcept;

  /// Lets the members' actors run on a worker.
  void activate_members(caf::execution_unit* unit);

  /// @returns whether there are more messages.
  bool handle_mailboxes(caf::execution_unit* unit);

  /// Lets go of the members that have left.
  void end_members(caf::execution_unit* unit);

  std::shared_ptr<run_context> run_;
  engine::group nodes_;
  std::vector<node_runner*> members_;   // that have not left
  caf::execution_unit* unit_ = nullptr; // where the members are active

  std::atomic<bool> signalled_{false};
  std::atomic<bool> taken_{false}; // the token
  std::atomic<bool> running_{false};

  std::mutex mutex_;                    // of what follows
  std::vector<node_runner*> mailboxes_; // with messages, and a reference each
};

} // namespace caf::rosia::detail
