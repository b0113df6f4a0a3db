// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "engine/deadline_code.hpp"
#include "engine/stamp_log.hpp"
#include "engine/stamped_queue.hpp"
#include "runtime/timekeeper.hpp"
#include "runtime/value_log.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace caf::rosia::detail {

/// The external events of a run that are not in its file yet. They are kept in
/// memory, up to a limit. Events beyond the limit are lost, and counted. The
/// threads that run nodes add events, the file's thread takes them. Tests:
/// test/recording.
class pending_events final : public engine::stamp_log {
public:
  // -- member types -----------------------------------------------------------

  struct event {
    engine::node_id node;
    std::size_t size; // approximate number of bytes
    engine::stamped_value value;
  };

  struct deadline {
    engine::node_id node;
    std::uint32_t reaction; // its index
    engine::passed_deadline passed;
  };

  struct tardy_event {
    engine::node_id node;
    std::uint32_t connection; // its index at the node
    engine::tardy_value value;
  };

  /// All that was added since the last `take`.
  struct batch {
    std::vector<event> events;
    std::vector<deadline> deadlines;
    std::vector<tardy_event> tardy;

    /// By node with deadlines, the last tag that it began to execute.
    std::map<engine::node_id, logical_time> reached;

    /// Returns the number of events, including deadlines.
    std::size_t size() const noexcept {
      return events.size() + deadlines.size() + tardy.size();
    }
  };

  // -- constructors -----------------------------------------------------------

  /// @param memory shared with the values of ports; must outlive this object.
  explicit pending_events(log_memory& memory) : memory_(memory) {
    // nop
  }

  // -- on the file's thread ---------------------------------------------------

  /// Takes all events. Locks the mutex.
  /// @pre `into` is empty.
  /// @returns a physical time, in nanoseconds: all events stamped before it
  ///          were taken.
  std::int64_t take(batch& into, const timekeeper& time);

  /// Returns whether nodes may still add events that were stamped before.
  bool awaits_events() {
    std::lock_guard guard{mutex()};
    return !awaited_.empty();
  }

  /// Sets the approximate number of bytes of the values that will be added.
  void payload_size(std::size_t bytes) noexcept {
    payload_size_.store(bytes, std::memory_order_relaxed);
  }

  /// Counts events that cannot be written. From any thread.
  void note_lost(std::uint64_t number) noexcept {
    lost_.fetch_add(number, std::memory_order_relaxed);
  }

  /// Returns the number of lost events. From any thread.
  std::uint64_t lost() const noexcept {
    return lost_.load(std::memory_order_relaxed);
  }

  // -- overridden functions of engine::stamp_log ------------------------------

  void add(engine::node_id node, const engine::stamped_value& x) override;

  void add(engine::node_id node, std::uint32_t reaction,
           const engine::passed_deadline& x) override;

  void add(engine::node_id node, std::uint32_t connection,
           const engine::tardy_value& x) override;

  void await(engine::node_id node, logical_time first) override;

  void reach(engine::node_id node, logical_time tag) override;

private:
  /// Reserves memory for an event. If the limit is reached, counts the event as
  /// lost.
  /// @returns whether memory was reserved.
  bool reserve(std::size_t size) noexcept;

  log_memory& memory_;
  batch batch_; // guarded by the mutex

  /// By node, the least tag of values that are stamped and may still be added.
  /// Guarded by the mutex.
  std::map<engine::node_id, logical_time> awaited_;

  std::atomic<std::uint64_t> lost_ = 0;
  std::atomic<std::size_t> payload_size_ = 0;
};

} // namespace caf::rosia::detail
