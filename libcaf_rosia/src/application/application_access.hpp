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

/// The way to an application that may be destroyed at any time.
class application_link {
public:
  explicit application_link(application& x) : app_(&x) {
    // nop
  }

  /// Calls `fun(application&)`, unless the application is gone. It is not
  /// destroyed meanwhile.
  template <class Fun>
  void call(Fun&& fun) {
    std::shared_lock guard{mutex_};
    if (app_ != nullptr)
      std::forward<Fun>(fun)(*app_);
  }

  /// The application is about to be destroyed. Waits for calls.
  void cut() {
    std::unique_lock guard{mutex_};
    app_ = nullptr;
  }

private:
  std::shared_mutex mutex_;
  application* app_;
};

/// What has become of an application.
struct application_outcome {
  /// What `run()` returns; 1 if it throws.
  int status = 0;

  /// Why it was aborted, or what was thrown; empty if nothing was wrong.
  std::string error = {};
};

/// What the live page shows of an application.
struct application_view {
  report status = {};

  /// Null before it has run.
  std::shared_ptr<const graph_description> graph = {};

  /// By node: what it has done; nothing if that is not known.
  std::vector<std::optional<node_counts>> counts = {};

  /// Whether tags wait for physical time.
  bool realtime = true;

  /// Whether late tags are counted.
  bool lag_warn = false;

  /// The process's name; empty if there is only one.
  std::string process = {};

  /// How many actors of the system are alive, without hidden ones.
  std::size_t actors = 0;
};

/// The library's own way into an application.
struct application_access {
  using listener = std::function<void(const application_outcome&)>;

  /// Has `fun` called when `run()` is called, by it; never if it was called.
  static void on_start(application& x, std::function<void()> fun);

  /// Has `fun` called once, when `run()` is about to return or throw, or when
  /// the application is destroyed; at once if it has run already.
  static void on_over(application& x, listener fun);

  /// For those who may live longer.
  static std::shared_ptr<application_link> link(application& x);

  /// Asks it to end, as a signal does. @returns false if it has not been
  /// started: then it will not start, and `run()` returns at once.
  static bool request_end(application& x);

  /// Requests an end, and logs that the live page did so.
  static void request_end_by_page(application& x);

  /// Aborts it.
  static bool force_end(application& x, int status);

  static application_view look(application& x);

  /// Logs a report, as SIGUSR1 does.
  static void give_report(application& x);

  /// Shows something else on the live page of an application, if it has one:
  /// from now on, or from the start of its `run()` on.
  static void show(application& x, std::shared_ptr<watch_source> other);

  /// Where its live page is; empty if there is none.
  static std::string page_url(const application& x);

  /// Hands the trace of `x` to `sink`, some complete lines at a time, instead
  /// of writing it to a file. `sink` is called from the threads that nodes run
  /// on, by one at a time. Before `run()`.
  static void trace(application& x, std::function<void(std::string_view)> sink);

  /// Sets how much of a recorded run is read at a time, in bytes for each node.
  /// Before `run()`.
  static void replay_piece(application& x, std::size_t bytes);
};

} // namespace caf::rosia::detail
