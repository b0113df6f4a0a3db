// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "property/random_node.hpp"

#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>
#include <string>
#include <thread>

namespace property {

/// Ends the process if a run takes too long, and describes what the run's nodes
/// wait for. So a hang does not block the tests.
class watchdog {
public:
  // -- constructors, destructors ----------------------------------------------

  explicit watchdog(std::chrono::seconds patience);

  ~watchdog();

  // -- watching ---------------------------------------------------------------

  /// Watches one run, from any thread, while this object exists.
  class scope {
  public:
    /// @param what description: the run's seed, threads.
    /// @param nodes must outlive the scope.
    scope(watchdog& dog, std::string label, const company& nodes);

    scope(const scope&) = delete;

    scope& operator=(const scope&) = delete;

    ~scope();

  private:
    watchdog* dog_;
    std::list<scope*>::iterator position_;
    friend class watchdog;
    std::string label_;
    const company* nodes_;
    std::chrono::steady_clock::time_point since_;
  };

private:
  void watch();

  std::chrono::seconds patience_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<scope*> runs_;
  bool done_ = false;
  std::thread thread_; // last, because it uses all of the above
};

/// Describes what a node waits for. While the node runs, the description may be
/// inconsistent.
std::string describe(random_node& x);

} // namespace property
