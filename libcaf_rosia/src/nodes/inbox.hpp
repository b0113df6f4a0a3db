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

/// The messages that have arrived at a node and were not fetched yet. Lives as
/// long as the node's instance, so that any thread can schedule a physical
/// action at any time. Tests: test/nodes/inbox_test.cpp.
class inbox {
public:
  // -- for other nodes --------------------------------------------------------

  /// Appends a batch, and leaves it empty; drops it if the node has left. Null
  /// messages and the ends of connections are merged into unfetched messages.
  /// @returns the number of dropped values.
  std::size_t push(std::vector<engine::envelope>& batch);

  // -- for values from outside of the application -----------------------------

  /// Appends a value and wakes the node, unless `waiting` has reached the limit
  /// or the inbox refuses such values [3.17].
  /// @returns whether the value was accepted.
  bool offer(engine::envelope&& x, std::atomic<std::uint32_t>& waiting);

  /// Sets the waker, and the number of values that may wait at each physical
  /// action.
  void attach(waker* runner, std::uint32_t limit);

  /// Returns the number of refused values.
  std::uint32_t refused() const noexcept {
    return refused_.load(std::memory_order_relaxed);
  }

  // -- for the owner ----------------------------------------------------------

  /// Returns whether there are messages. May miss a message that is not
  /// signalled yet.
  bool has_mail() const noexcept {
    return size_.load(std::memory_order_acquire) != 0;
  }

  /// Returns the number of messages. Any thread may call this.
  std::size_t size() const noexcept {
    return size_.load(std::memory_order_relaxed);
  }

  /// Moves all messages into `into`, which is empty.
  void drain(std::vector<engine::envelope>& into);

  /// Refuses values from outside from now on.
  void refuse();

  /// Drops all present and future messages. The waker is no longer called.
  /// @returns the number of dropped values.
  std::size_t close();

private:
  /// Appends a batch to the messages.
  void append(std::vector<engine::envelope>& batch);

  /// Returns the mutex that protects all members. Most inboxes are never used
  /// by two threads, and a mutex is as large as the rest, so inboxes share
  /// mutexes. No thread locks two of them.
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
