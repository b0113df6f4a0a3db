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

/// Brings connected nodes together at the start of a run. Each node starts and
/// executes its first tag alone, because that may block. Then one executor
/// takes over the nodes of the rest at once. It waits only briefly: nodes that
/// executed nothing join as newcomers, and slow nodes stay alone. Tests:
/// test/application/groups_test.cpp.
class seating : public std::enable_shared_from_this<seating> {
public:
  // -- before the start -------------------------------------------------------

  /// Adds an executor of one node.
  void add(executor& x);

  // -- from any thread --------------------------------------------------------

  /// Makes an executor wait for those that did not arrive yet. Called by the
  /// thread that has its token.
  /// @pre The executor's node executed its first tag.
  /// @returns false if the executor stays alone; otherwise the caller must not
  ///          access it again.
  bool arrive(executor& x, timekeeper& time);

  /// Stops waiting for an executor that did not arrive yet.
  void skip();

  /// Returns the executors that were added, with or without nodes.
  std::span<executor* const> all() const noexcept {
    return all_;
  }

private:
  /// Lets the first waiting executor take over the nodes of the rest.
  /// @pre The lock is held, and `over_` is false.
  void finish();

  std::vector<executor*> all_; // kept until the end of the run
  std::mutex mutex_;           // protects the members below
  std::size_t awaited_ = 0;
  std::vector<executor*> waiting_; // with their tokens, and a reference each
  bool over_ = false;
};

} // namespace caf::rosia::detail
