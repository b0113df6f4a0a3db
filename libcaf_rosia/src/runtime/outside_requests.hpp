// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "runtime/run_context.hpp"

#include <mutex>
#include <optional>

namespace caf::rosia::detail {

/// Requests to end an application that come from outside of its nodes. Those
/// that come before the nodes have started wait until then. From any thread.
class outside_requests {
public:
  /// @param run outlives it.
  explicit outside_requests(run_context& run) noexcept : run_(&run) {
    // nop
  }

  /// Requests an end at once. @param signal that was the reason; 0 if none was.
  void request_end(int signal = 0);

  /// Aborts the application.
  void abort(int status);

  /// Has the coordinator, if it is here, log a report; only while nodes run.
  void request_report();

  /// The nodes have started: what waits goes to the coordinator.
  void open();

  /// The run is over: what comes has no effect.
  void close();

private:
  void send_request(int signal);

  run_context* run_;
  std::mutex mutex_; // protects what follows
  bool open_ = false;
  std::optional<int> signal_; // of a request
  std::optional<abort_application> abort_;
};

} // namespace caf::rosia::detail
