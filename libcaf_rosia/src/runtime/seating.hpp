// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace caf::rosia::detail {

class executor;
class timekeeper;

/// Brings connected nodes together at the start of a run: each of them starts
/// and executes its first tag on its own, because that may block. Then one
/// executor takes over the nodes of the others at once. It does not wait for
/// long: nodes that have executed nothing join as newcomers, and slow nodes
/// stay alone.
class seating : public std::enable_shared_from_this<seating> {
public:
  // -- before the start -------------------------------------------------------

  /// Adds an executor of one node.
  void add(executor& x);

  // -- from any thread --------------------------------------------------------

  /// Lets an executor wait for the others, whose node has executed its first
  /// tag. Called by the thread that has its token.
  /// @returns false if it stays alone; otherwise it may not be touched.
  bool arrive(executor& x, timekeeper& time);

  /// Removes an executor that has not arrived from those to wait for.
  void skip();

  /// Returns the executors that were added. They may have nodes, or not.
  std::span<executor* const> all() const noexcept {
    return all_;
  }

private:
  /// Lets the first of those that wait take over the nodes of the others.
  /// @pre The lock is held, and it is not over.
  void finish();

  std::vector<executor*> all_; // kept until the run is over
  std::mutex mutex_;           // of what follows
  std::size_t awaited_ = 0;
  std::vector<executor*> waiting_; // with their tokens, and a reference each
  bool over_ = false;
};

} // namespace caf::rosia::detail
