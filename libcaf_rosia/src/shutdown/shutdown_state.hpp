// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "base/exit_status.hpp"
#include "base/logging.hpp"
#include "caf/rosia/detail/event_descriptor.hpp"
#include "caf/rosia/shutdown.hpp"

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

/// How far a shutdown is, why, and what has failed; and what all that belongs
/// to it shares: its options, its log, and the lock that protects the rest.
class shutdown_state {
public:
  using clock = std::chrono::steady_clock;

  using lock = std::unique_lock<std::mutex>;

  /// Something of the program that has failed.
  struct failure {
    part_report::kind kind;
    std::string name;
    std::string phase;
    std::string error;
  };

  /// @throws std::invalid_argument for a log level that does not exist.
  explicit shutdown_state(shutdown_options opts);

  ~shutdown_state();

  // -- what needs no lock -----------------------------------------------------

  /// As they were given: see `deadline`.
  const shutdown_options& options() const noexcept {
    return options_;
  }

  spdlog::logger& log() const noexcept {
    return *logger_;
  }

  void flush_log() const {
    log_.flush();
  }

  /// Logs to another sink, too.
  void log_to(log_context::sink_ptr sink) {
    log_.add_sink(std::move(sink));
  }

  /// Ends `sleep_until`, this time or the next one.
  void notify() const noexcept {
    wake_.notify();
  }

  /// What a signal handler writes to in order to notify.
  int descriptor() const noexcept {
    return wake_.get();
  }

  /// Waits until somebody notifies. For the shutdown's own thread.
  void sleep_until(clock::time_point end) const;

  // -- what takes the lock ----------------------------------------------------

  lock acquire() const {
    return lock{mutex_};
  }

  /// Tries for a while before it sleeps. For what all actors do at their exits
  /// at the same time: to sleep and to be woken takes longer than all else.
  lock acquire_spinning() const;

  /// Begins the shutdown. @returns whether this was the first call.
  bool begin(shutdown_reason reason, bool by_signal = false);

  bool has_begun() const;

  bool is_aborted() const;

  /// @returns the program's handler of the first signal, for the last time.
  std::function<void()> take_on_signal();

  /// @returns the program's backup, for the last time; maybe empty.
  std::function<void()> take_backup();

  /// Calls code of the program. A failure is logged, and leads to status 1.
  /// @param role says what the code is in the log: "worker", "handler".
  /// @returns the error; empty if there is none.
  std::string run(const char* role, const std::string& name,
                  const std::function<void()>& code);

  /// The same for a task: its failure begins the shutdown.
  void run_task(const std::string& name, const std::function<void()>& code);

  // -- what needs the lock ----------------------------------------------------

  const shutdown_reason& reason() const noexcept {
    return reason_;
  }

  std::optional<clock::time_point> begun_at() const noexcept {
    return begun_at_;
  }

  /// Whether a signal has begun it, for which the program has a handler.
  bool calls_on_signal() const noexcept {
    return calls_on_signal_;
  }

  /// Aborts the shutdown, and begins it if it has not begun.
  /// @returns false if it is over, or aborted already.
  bool abort(int status, const std::string& reason);

  /// When it was aborted, if it was.
  std::optional<clock::time_point> aborted_at() const noexcept {
    return aborted_at_;
  }

  /// The status that it was aborted with, or, if it was not, that for what has
  /// to be aborted.
  int abort_status() const noexcept;

  std::chrono::nanoseconds deadline() const noexcept {
    return deadline_;
  }

  void deadline(std::chrono::nanoseconds duration) noexcept {
    deadline_ = duration;
  }

  /// When the deadline passes. @pre The shutdown has begun.
  clock::time_point deadline_at() const;

  /// Lets the deadline begin now.
  void restart_deadline() noexcept {
    deadline_since_ = clock::now();
  }

  /// Replaces the program's handler of the first signal, which it hands back.
  /// @returns false, and does nothing, if the shutdown has begun.
  bool swap_on_signal(std::function<void()>& handler);

  /// When all has to be over that an abort stops; nothing if that is not known,
  /// or not needed any more.
  std::optional<clock::time_point> latest_end() const;

  /// The result is no better than this, unless the shutdown is aborted.
  void worsen_status(int status) noexcept;

  void add_failure(failure what_failed);

  /// "running", the name of a phase, or "forced".
  void enter_stage(const std::string& stage) {
    stage_ = stage;
  }

  /// @param clean whether all that took part has ended.
  int result(bool clean) const noexcept;

  /// The shutdown is over, which `await_over` learns.
  void finish();

  void set_status(int status) noexcept {
    status_ = status;
  }

  int status() const noexcept {
    return status_;
  }

  /// Somebody waits until it is over, and takes the status.
  void be_awaited() noexcept {
    awaited_ = true;
  }

  bool is_awaited() const noexcept {
    return awaited_;
  }

  /// @returns the status.
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

  mutable std::mutex mutex_; // protects what follows
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
  int worst_status_ = 0; // of what happened
  std::string stage_ = "running";
  std::vector<failure> failures_;
};

} // namespace caf::rosia::detail
