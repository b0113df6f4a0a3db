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
#include "runtime/messages.hpp"
#include "runtime/node_command.hpp"

#include <caf/error.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace caf::rosia::detail {

class resumption;
class run_context;

/// Runs a node by means of its executor: carries out the decisions of the
/// engine, and the commands to the node. The node has an actor only on demand:
/// see `node_mailboxes`. Tests: test/application.
class node_runner final
  : public engine::host,
    public node_environment,
    public waker {
public:
  // -- constructors, destructors ----------------------------------------------

  /// @param run the owner of this object.
  node_runner(run_context& run, rosia::node& self);

  ~node_runner() override;

  // -- scheduling -------------------------------------------------------------

  void signal() override;

  /// Sends a command to the node. Has no effect after the node left. From any
  /// thread, before the end of the run.
  void tell(const node_command& x);

  /// Returns the executor that runs the node now. From any thread.
  executor& runs_on() const noexcept {
    // The thread that moves the node checks again, after the move, for signals
    // to the old executor.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return *executor_.load(std::memory_order_seq_cst);
  }

  // -- observing --------------------------------------------------------------

  /// Records the node's state if no thread has the executor's token. From any
  /// thread, before the node leaves.
  /// @returns false if the executor runs or is scheduled, or if the node moved.
  bool observe(observation& into);

  // -- for the executor, with its token ---------------------------------------

  void move_to(executor& x) noexcept {
    executor_.store(&x, std::memory_order_seq_cst);
  }

  /// Carries out a command.
  void obey(const node_command& x);

  /// Handles the latest notices about checkpoints.
  /// @param count the number of all notices so far.
  void take_notices(std::span<const checkpoints::notice> news,
                    std::uint64_t count);

  /// Sends to other processes what they must know before this node may become
  /// idle.
  void notify_others();

  /// Returns whether the node's exit was reported.
  bool has_reported() const noexcept {
    return reported_;
  }

  /// Returns whether the node left, and its exit was not reported.
  bool has_to_report() noexcept {
    return !reported_ && engine().left();
  }

  /// Reports the node's exit. Afterwards, nothing of the node may be accessed.
  /// @param unit the worker that runs the executor.
  void report_exit(detail::worker* unit);

  /// Reports that another part of the program ended the node's actor, and so
  /// the node [6.2]. Afterwards, nothing of the node may be accessed.
  void report_vanished(const caf::error& reason);

  /// Records that the node was found to be heavy. @returns how often it was.
  unsigned note_heavy() noexcept {
    return times_heavy_
           = static_cast<std::uint8_t>(std::min(times_heavy_ + 1, 255));
  }

  /// Records whether the tags that the node executed alone, before it joined a
  /// group, were short.
  void note_stint(bool is_short) noexcept {
    auto next = is_short ? std::max(trust_, std::int8_t{0}) + 1
                         : std::min(trust_, std::int8_t{0}) - 1;
    trust_ = static_cast<std::int8_t>(std::clamp(next, -100, 100));
  }

  /// Returns how often in a row these tags were short; negative if they were
  /// long.
  int trust() const noexcept {
    return trust_;
  }

  /// Returns whether the node was ever found to be heavy.
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

  void done(logical_time last) override;

  void answer_checkpoint(logical_time tag) override;

  void save(engine::saved_node part) override;

  void failed(const engine::failure& error) override;

  void shutdown_failed(const engine::failure& error) override;

  void lagging(logical_time tag, std::int64_t ns, bool ended) override;

  void warn(const std::string& text) override;

  void dropped(engine::drop_reason reason) override;

  void unexecuted(engine::node_id receiver, std::size_t values) override;

  // -- implementation ---------------------------------------------------------

  /// Carries out the commands to the node.
  struct command_handler;

  /// Returns the node's state. @pre The caller has the executor's token.
  engine::snapshot look();

  /// Passes an injection point to the drill, if there is one.
  void rehearse(const char* step, logical_time tag);

  /// State that few nodes need.
  struct rare_state {
    std::uint64_t shutdown_deadline = 0; // its number in the timekeeper
    std::uint64_t notices = 0;           // number of known notices
    std::uint64_t replaced = 0;          // values replaced by newer ones
    std::uint64_t spaced_out = 0;        // values dropped by a spacing
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
  std::int64_t last_look_ = -1;      // when the lag was last measured
  std::uint32_t dropped_ = 0;
  std::uint8_t times_heavy_ = 0;
  std::int8_t trust_ = 0; // see `trust`
  bool reported_ = false;
  bool owes_acks_ = false; // the engine wanted to wake a remote node
};

} // namespace caf::rosia::detail
