// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/claimable.hpp"
#include "engine/envelope.hpp"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

namespace caf::rosia::detail {

/// What has arrived at a node and was not taken in yet. Lives as long as the
/// node's instance, so that a trigger can be called at any time, from any
/// thread.
class inbox {
public:
  // -- for other nodes --------------------------------------------------------

  /// Appends a batch, and leaves it empty; drops it if the node has left. What
  /// says no more than that nothing comes, for now or at all, becomes part of a
  /// message that is not taken in yet.
  /// @returns the number of values that were dropped, because it is closed.
  std::size_t push(std::vector<engine::envelope>& batch);

  // -- for values from outside of the application -----------------------------

  /// Appends a value unless `waiting` has reached `limit`, or the inbox takes
  /// no such values any more; then wakes the node.
  /// @returns whether the value was taken.
  bool offer(engine::envelope&& x, std::atomic<std::uint32_t>& waiting);

  /// Sets who is woken, and how many values from outside may wait at each
  /// trigger or physical input.
  void attach(waker* who, std::uint32_t limit);

  /// How many values were refused.
  std::uint32_t refused() const noexcept {
    return refused_.load(std::memory_order_relaxed);
  }

  // -- for the owner ----------------------------------------------------------

  /// May miss what is not signalled yet.
  bool has_mail() const noexcept {
    return size_.load(std::memory_order_acquire) != 0;
  }

  /// How much has arrived. From any thread.
  std::size_t size() const noexcept {
    return size_.load(std::memory_order_relaxed);
  }

  /// Moves all into `into`, which is empty.
  void drain(std::vector<engine::envelope>& into);

  /// Refuses values from outside from now on.
  void refuse();

  /// Drops its content, and all that arrives later. Wakes no node from now on.
  /// @returns the number of values that were dropped.
  std::size_t close();

private:
  /// Appends a batch to what is there.
  void append(std::vector<engine::envelope>& batch);

  /// Protects all of it. Most inboxes are never used by two threads, and a
  /// mutex is as large as the rest: so inboxes share some. Nobody locks two.
  std::mutex& mutex() noexcept;

  std::vector<engine::envelope> items_;
  std::atomic<std::uint32_t> size_{0};
  std::uint32_t limit_ = 1024;
  waker* waker_ = nullptr;
  std::atomic<std::uint32_t> refused_{0};
  bool refusing_ = false;
  bool closed_ = false;
};

} // namespace caf::rosia::detail
