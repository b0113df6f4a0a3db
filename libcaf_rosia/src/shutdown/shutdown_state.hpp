// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "base/exit_status.hpp"
#include "base/logging.hpp"
#include "caf/rosia/detail/event_descriptor.hpp"
#include "caf/rosia/shutdown/shutdown_report.hpp"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace caf::rosia::detail {

class phase_list;
class report_builder;

/// The stage, reason and failures of a shutdown. Also has the options, the log,
/// and the lock that protects the shutdown's other objects.
class shutdown_state {
public:
  using clock = std::chrono::steady_clock;

  using lock = std::unique_lock<std::mutex>;

  using failure_handler = std::function<void(const std::string& error)>;

  /// A part of the program that failed.
  struct failure {
    part_report::kind kind;
    std::string name;
    std::string phase;
    std::string error;
  };

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

  const shutdown_reason& reason() const noexcept {
    return reason_;
  }

  std::optional<clock::time_point> begun_at() const noexcept {
    return begun_at_;
  }

  /// Returns whether a signal began the shutdown, and the program has a
  /// handler.
  bool calls_on_signal() const noexcept {
    return calls_on_signal_;
  }

  /// Aborts the shutdown, and begins it if necessary.
  /// @returns false if it ended, or is aborted already.
  bool abort(int status, const std::string& reason);

  std::optional<clock::time_point> aborted_at() const noexcept {
    return aborted_at_;
  }

  /// Returns the status of the abort, or, without one, the status for
  /// participants that are aborted.
  int abort_status() const noexcept;

  std::chrono::nanoseconds deadline() const noexcept {
    return deadline_;
  }

  void deadline(std::chrono::nanoseconds duration) noexcept {
    deadline_ = duration;
  }

  /// Returns when the deadline passes. @pre The shutdown began.
  clock::time_point deadline_at() const;

  /// Restarts the time of the deadline.
  void restart_deadline() noexcept {
    deadline_since_ = clock::now();
  }

  /// Exchanges the program's handler of the first signal.
  /// @returns false, and does nothing, after the beginning of the shutdown.
  bool swap_on_signal(std::function<void()>& handler);

  /// Returns the time by which an abort must have stopped everything; nothing
  /// before the beginning and after the end.
  std::optional<clock::time_point> latest_end() const;

  /// Makes `status` a lower bound of the result, unless the shutdown is
  /// aborted.
  void worsen_status(int status) noexcept;

  void add_failure(failure what_failed);

  /// Sets the stage: "running", the name of a phase, or "aborted".
  void enter_stage(const std::string& stage) {
    stage_ = stage;
  }

  /// @param clean whether all participants ended.
  int result(bool clean) const noexcept;

  /// Ends the shutdown, and all calls of `await_over`.
  void finish();

  void set_status(int status) noexcept {
    status_ = status;
  }

  int status() const noexcept {
    return status_;
  }

  /// Notes that a thread waits for the end, and takes the status.
  void be_awaited() noexcept {
    awaited_ = true;
  }

  bool is_awaited() const noexcept {
    return awaited_;
  }

  /// Waits for the end. @returns the status.
  int await_over(lock& held);

  void add_to(report_builder& builder) const;

  void add_failures_to(report_builder& builder, phase_list& phases) const;

private:
  void begin_locked(shutdown_reason reason, bool by_signal);

  shutdown_options options_;
  bool has_backup_;
  log_context log_;
  std::shared_ptr<spdlog::logger> logger_;
  event_descriptor wake_;

  mutable std::mutex mutex_; // protects the members below
  std::condition_variable over_changed_;
  shutdown_reason reason_;
  std::optional<clock::time_point> begun_at_;
  std::optional<clock::time_point> aborted_at_;
  clock::time_point deadline_since_;
  std::chrono::nanoseconds deadline_;
  std::function<void()> on_signal_;
  std::function<void()> backup_;
  bool calls_on_signal_ = false;
  bool over_ = false;
  bool awaited_ = false;
  int status_ = 0;
  int worst_status_ = 0; // the highest status that occurred
  std::string stage_ = "running";
  std::vector<failure> failures_;
};

} // namespace caf::rosia::detail
