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
#include <vector>

namespace caf::rosia::detail {

/// The external events of a run that are not in its file yet. They are kept in
/// memory, up to a limit. Beyond it they are lost, and counted. Tests:
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
    std::uint32_t reaction;
    engine::passed_deadline passed;
  };

  struct batch {
    std::vector<event> events;
    std::vector<deadline> deadlines;

    /// The tags that nodes with deadlines execute.
    std::map<engine::node_id, logical_time> reached;

    std::size_t size() const noexcept {
      return events.size() + deadlines.size();
    }
  };

  // -- constructors -----------------------------------------------------------

  /// @param memory must outlive this object.
  explicit pending_events(log_memory& memory) : memory_(memory) {
    // nop
  }

  // -- on the file's thread ---------------------------------------------------

  /// Takes all events.
  /// @pre `into` is empty.
  /// @returns the physical time, in nanoseconds, before which all stamped
  /// values
  ///          were taken.
  std::int64_t take(batch& into, const timekeeper& time);

  /// Sets the approximate number of bytes of the values that will be added.
  void payload_size(std::size_t bytes) noexcept {
    payload_size_.store(bytes, std::memory_order_relaxed);
  }

  /// Counts events that cannot be written.
  void note_lost(std::uint64_t number) noexcept {
    lost_.fetch_add(number, std::memory_order_relaxed);
  }

  std::uint64_t lost() const noexcept {
    return lost_.load(std::memory_order_relaxed);
  }

  // -- overridden functions of engine::stamp_log ------------------------------

  void add(engine::node_id node, const engine::stamped_value& x) override;

  void add(engine::node_id node, std::uint32_t reaction,
           const engine::passed_deadline& x) override;

  void await(engine::node_id node, logical_time first) override;

  void reach(engine::node_id node, logical_time tag) override;

private:
  /// Takes memory for an event. If there is none left, the event is lost.
  /// @returns whether there was some.
  bool take_memory(std::size_t size) noexcept;

  log_memory& memory_;
  batch batch_; // guarded by the mutex

  /// The tags from which on nodes may add values that have their stamps
  /// already. Guarded by the mutex.
  std::map<engine::node_id, logical_time> awaited_;

  std::atomic<std::uint64_t> lost_ = 0;
  std::atomic<std::size_t> payload_size_ = 0;
};

} // namespace caf::rosia::detail
