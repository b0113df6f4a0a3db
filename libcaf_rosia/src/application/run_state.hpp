// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "application/application_access.hpp"
#include "caf/rosia/logical_time.hpp"
#include "caf/rosia/report.hpp"

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace caf::rosia::detail {

class runtime;

/// The state of an application: before, during and after its run. Stores
/// requests to end it that arrive before the run. From any thread. Tests:
/// test/application/application_test.cpp, test/application/ending_test.cpp.
class run_state {
public:
  using listener = application_access::listener;

  bool is_building() const noexcept {
    return phase_ == phase::building;
  }

  bool is_over() const noexcept {
    return phase_ == phase::over;
  }

  /// Returns null before and after the run.
  std::shared_ptr<runtime> run() const;

  /// Returns the run, and the last report before and after it, without nodes.
  std::pair<std::shared_ptr<runtime>, application_report> look() const;

  // -- requests ---------------------------------------------------------------

  /// Returns whether an end or an abort was requested.
  bool wants_end() const;

  void request_end();

  void abort(int status);

  /// @throws std::logic_error if the application does not run.
  std::future<logical_time> checkpoint();

  // -- listeners --------------------------------------------------------------

  void on_start(std::function<void()> fun);

  /// Calls `fun` at once if the run is over.
  void on_over(listener fun);

  void announce_start();

  /// Calls the functions that wait for the end.
  void announce(const application_outcome& result);

  // -- the run, from its thread -----------------------------------------------

  void begin(std::shared_ptr<runtime> run);

  /// Releases what waits for a run that failed: futures of its checkpoints, and
  /// this process's part in checkpoints of several processes.
  void fail();

  /// @param last without nodes.
  void finish(application_report last, int status);

private:
  enum class phase { building, running, over };

  std::atomic<phase> phase_{phase::building};
  mutable std::mutex mutex_; // for all of the following
  std::shared_ptr<runtime> run_;
  application_report last_report_;
  bool end_requested_ = false;     // before the run
  std::optional<int> end_aborted_; // before the run, with this status
  std::vector<std::function<void()>> on_start_;
  std::vector<listener> on_over_;
  application_outcome outcome_; // after the end
};

} // namespace caf::rosia::detail
