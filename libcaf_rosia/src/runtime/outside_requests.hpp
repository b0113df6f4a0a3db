// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "runtime/run_context.hpp"

#include <mutex>
#include <optional>

namespace caf::rosia::detail {

/// Requests from outside of the nodes to end an application. They wait for the
/// start of the nodes. From any thread. Tests:
/// test/runtime/outside_requests_test.cpp.
class outside_requests {
public:
  /// @param run must outlive this object.
  explicit outside_requests(run_context& run) noexcept : run_(&run) {
    // nop
  }

  /// Requests an immediate end. @param signal the cause; 0 if there is none.
  void request_end(int signal = 0);

  /// Aborts the application.
  void abort(int status);

  /// Lets the coordinator, if it is in this process, log a report. Does nothing
  /// before and after the run.
  void request_report();

  /// Sends the waiting requests to the coordinator. Called after the start of
  /// the nodes.
  void open();

  /// Ignores further requests. Called after the run.
  void close();

private:
  void send_request(int signal);

  run_context* run_;
  std::mutex mutex_; // protects the members below
  bool open_ = false;
  std::optional<int> signal_; // of a request
  std::optional<abort_application> abort_;
};

} // namespace caf::rosia::detail
