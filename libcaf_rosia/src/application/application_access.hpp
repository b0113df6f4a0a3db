// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/fwd.hpp"
#include "caf/rosia/graph_description.hpp"
#include "caf/rosia/report.hpp"
#include "runtime/node_counters.hpp"
#include "watch/watch_source.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace caf::rosia::detail {

/// Access to an application that may be destroyed at any time. Tests:
/// test/watch.
class application_link {
public:
  explicit application_link(application& x) : app_(&x) {
    // nop
  }

  /// Calls `fun(application&)`, unless the application was destroyed. Delays
  /// its destruction until `fun` has returned.
  template <class Fun>
  void call(Fun&& fun) {
    std::shared_lock guard{mutex_};
    if (app_ != nullptr)
      std::forward<Fun>(fun)(*app_);
  }

  /// Prevents further calls, because the application is about to be destroyed.
  /// Waits for running calls.
  void cut() {
    std::unique_lock guard{mutex_};
    app_ = nullptr;
  }

private:
  std::shared_mutex mutex_;
  application* app_;
};

/// The result of an application's run.
struct application_outcome {
  /// The result of `run()`; 1 if it throws.
  int status = 0;

  /// The reason of the abort, or the text of the exception; empty if there is
  /// none.
  std::string error = {};
};

/// The state of an application, for the live page. Tests: test/watch.
struct application_view {
  application_report status = {};

  /// Null before the run.
  std::shared_ptr<const graph_description> graph = {};

  /// The counts of each node; none if they are unknown.
  std::vector<std::optional<node_counts>> counts = {};

  /// Whether tags wait for physical time.
  bool realtime = true;

  /// Whether late tags are counted.
  bool lag_warn = false;

  /// The process's name; empty if there is only one.
  std::string process = {};

  /// The number of living actors of the system, without hidden ones.
  std::size_t actors = 0;
};

/// The library's internal interface of an application. Tests: test/application,
/// test/watch.
struct application_access {
  using listener = std::function<void(const application_outcome&)>;

  /// Calls `fun` at the start of `run()`; never if that was called already.
  static void on_start(application& x, std::function<void()> fun);

  /// Calls `fun` once, when `run()` is about to return or throw, or when the
  /// application is destroyed. Calls it at once if the application has run.
  static void on_over(application& x, listener fun);

  /// Returns a link, which may outlive the application.
  static std::shared_ptr<application_link> link(application& x);

  /// Requests an end, as a signal does.
  /// @returns false if the application was not started. Then it will not start,
  ///   and `run()` returns at once.
  static bool request_end(application& x);

  /// Requests an end, and logs that the live page did so.
  static void request_end_by_page(application& x);

  /// Aborts the application.
  /// @returns false if it was not started, like `request_end`.
  static bool abort(application& x, int status);

  static application_view look(application& x);

  /// Logs a report, as SIGUSR1 does.
  static void give_report(application& x);

  /// Shows another source on the live page of an application, if it has one:
  /// from now on, or from the start of its `run()`.
  static void show(application& x, std::shared_ptr<watch_source> other);

  /// Returns the address of its live page; empty if there is none.
  static std::string page_url(const application& x);

  /// Passes the trace of `x` to `sink`, several complete lines at a time,
  /// instead of writing it to a file. `sink` is called from the threads that
  /// run nodes, one call at a time. Call this before `run()`.
  static void trace(application& x, std::function<void(std::string_view)> sink);

  /// Replaces the clock for deadlines of reactions: reactions are on time, and
  /// each call of `deadline_missed()` returns true. No watchdog expires, and no
  /// value is tardy. Call this before `run()`.
  static void assume_deadlines(application& x);

  /// Sets how much of a recorded run is read at a time, in bytes for each node.
  /// Call this before `run()`.
  static void replay_piece(application& x, std::size_t bytes);
};

} // namespace caf::rosia::detail
