// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "base/logging.hpp"
#include "caf/rosia/detail/event_descriptor.hpp"
#include "caf/rosia/shutdown/shutdown_report.hpp"
#include "shutdown/shutdown_course.hpp"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace caf::rosia::detail {

/// The common data of a shutdown's objects: options, log, course, and the lock
/// that protects the objects. Tests: test/shutdown/rooms_test.cpp.
class shutdown_state {
public:
  using clock = std::chrono::steady_clock;

  using lock = std::unique_lock<std::mutex>;

  using failure_handler = std::function<void(const std::string& error)>;

  /// @throws std::invalid_argument for an unknown log level.
  explicit shutdown_state(shutdown_options opts);

  ~shutdown_state();

  // -- functions without the lock ---------------------------------------------

  /// Returns the original options: see `deadline`.
  const shutdown_options& options() const noexcept {
    return options_;
  }

  spdlog::logger& log() const noexcept {
    return *logger_;
  }

  void flush_log() const {
    log_.flush();
  }

  /// Adds a sink to the log.
  void log_to(log_context::sink_ptr sink) {
    log_.add_sink(std::move(sink));
  }

  /// Ends this or the next call of `sleep_until`.
  void notify() const noexcept {
    wake_.notify();
  }

  /// Returns the descriptor that a signal handler writes to.
  int descriptor() const noexcept {
    return wake_.get();
  }

  /// Waits for `notify`. For the shutdown's own thread.
  void sleep_until(clock::time_point end) const;

  // -- functions that take the lock -------------------------------------------

  lock acquire() const {
    return lock{mutex_};
  }

  /// Spins for a while before it sleeps. For short operations at the exits of
  /// all actors at once: sleeping and waking would take most of the time.
  lock acquire_spinning() const;

  /// Begins the shutdown. @returns whether this was the first call.
  bool begin(shutdown_reason reason, bool by_signal = false);

  bool has_begun() const;

  bool is_aborted() const;

  /// @returns the program's handler of the first signal, which is removed.
  std::function<void()> take_on_signal();

  /// @returns the program's backup, which is removed; may be empty.
  std::function<void()> take_backup();

  /// Calls code of the program. Logs a failure, which results in status 1.
  /// @param role the kind of code, for the log: "worker", "handler".
  /// @param on_failure called with the error. It is called even if the code has
  ///                   ended its thread, whereas this function never returns.
  /// @returns the error; empty if there is none.
  std::string run(const char* role, const std::string& name,
                  const std::function<void()>& code,
                  const failure_handler& on_failure = nullptr);

  /// Calls the function of a thread. A failure begins the shutdown.
  void run_task(const std::string& name, const std::function<void()>& code);

  // -- functions under the lock -----------------------------------------------

  /// Returns whether a signal began the shutdown, and the program has a
  /// handler.
  bool calls_on_signal() const noexcept {
    return calls_on_signal_;
  }

  /// Exchanges the program's handler of the first signal.
  /// @returns false, and does nothing, after the beginning of the shutdown.
  bool swap_on_signal(std::function<void()>& handler);

  /// Returns the time by which an abort must have stopped everything; nothing
  /// before the beginning and after the end.
  std::optional<clock::time_point> latest_end() const;

  /// Ends the shutdown, and all calls of `await_over`.
  void finish();

  /// Notes that a thread waits for the end, and takes the status.
  void be_awaited() noexcept {
    awaited_ = true;
  }

  bool is_awaited() const noexcept {
    return awaited_;
  }

  /// Waits for the end. @returns the status.
  int await_over(lock& held);

  // -- members ----------------------------------------------------------------

  shutdown_course course; // protected by the lock

private:
  shutdown_options options_;
  bool has_backup_;
  log_context log_;
  std::shared_ptr<spdlog::logger> logger_;
  event_descriptor wake_;

  mutable std::mutex mutex_; // protects the members below
  std::condition_variable over_changed_;
  std::function<void()> on_signal_;
  std::function<void()> backup_;
  bool calls_on_signal_ = false;
  bool awaited_ = false;
};

} // namespace caf::rosia::detail
