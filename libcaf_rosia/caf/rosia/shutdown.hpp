// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/has_text.hpp"
#include "caf/rosia/fwd.hpp"
#include "caf/rosia/signal_behavior.hpp"
#include "caf/rosia/task_result.hpp"
#include "caf/rosia/time_span.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/fwd.hpp>
#include <caf/message.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace caf::rosia {

class actor_names;

namespace detail {

class shutdown_core;

} // namespace detail

// -- options ------------------------------------------------------------------

/// Why a system shuts down.
struct shutdown_reason {
  /// For people: "signal 15", "task 'feed' failed: no route".
  std::string what = {};

  /// The status that it leads to, from 0 to 255, unless a failure leads to
  /// another one.
  int status = 0;
};

/// A step of the shutdown.
struct phase_options {
  /// The phases that are over before this one begins.
  std::vector<std::string> after = {};

  /// How long the phase may take. The log then names all that is left; actors
  /// are aborted, and the others are left behind.
  physical_time_span timeout = std::chrono::seconds{5};

  /// Whether the shutdown continues with the next phase after a failure or a
  /// timeout. If false, it is aborted.
  bool recover = true;

  /// Whether the actors of the phase answer each other until all of them have
  /// handled their backlogs and the answers that they wait for, or half of the
  /// timeout has passed. If false, each actor exits as soon as it has drained,
  /// which is about a third faster for very many actors. In that case put
  /// actors that others send requests to into a later phase, or make them
  /// parents.
  bool together = false;

  /// Whether the functions that `on` has added to the phase run one after the
  /// other, in the opposite order of their addition, as destructors do. If one
  /// fails, the next one follows. After a timeout of the phase or an abort, no
  /// more of them begin.
  bool one_by_one = false;
};

/// "tasks", "actors" and "final", in this order.
std::map<std::string, phase_options> standard_phases();

/// How a system shuts down.
struct shutdown_options {
  /// How SIGINT and SIGTERM are handled, as for an application: the first
  /// begins the shutdown, the second aborts it. SIGUSR1 logs a report.
  signal_behavior signals = signal_behavior::handle;

  /// Whether SIGHUP counts as well, see `options::sighup`.
  bool sighup = false;

  /// The time from the beginning of the shutdown, or from the end of
  /// `on_signal`, until the rest is aborted.
  physical_time_span deadline = std::chrono::seconds{30};

  /// The time from then on until the process is ended, with the status 129.
  /// Also how long a complete shutdown waits for a call of `wait_for_shutdown`,
  /// or for its destruction: a `main` that is blocked elsewhere would keep the
  /// process alive for ever. After that the process is ended, with the status
  /// of the shutdown.
  physical_time_span grace_period = std::chrono::seconds{5};

  /// Translates the status of the shutdown into another one, for programs whose
  /// exit codes have meanings of their own. Must not throw. A result outside of
  /// 0 to 255 counts as 1, because no process can end with it.
  std::function<int(int status, const shutdown_reason& reason)> map_status = {};

  /// Whether the process is ended if a participant cannot be stopped, or if the
  /// program does not wait for the shutdown. If false, `wait_for_shutdown`
  /// returns 129 and leaves the participant behind; a shutdown that the program
  /// does not wait for is only logged.
  bool end_process = true;

  /// Runs on a thread of its own when the first signal comes, before anything
  /// is cancelled. It is the place for a last checkpoint. May also be set
  /// later, see `shutdown::on_signal`.
  std::function<void()> on_signal = {};

  /// How long the shutdown waits for it.
  physical_time_span on_signal_timeout = std::chrono::seconds{120};

  /// The last step of every shutdown: runs on a thread of its own when all else
  /// has ended, or could not be stopped; also after a failure, and after an
  /// abort. If it fails, the status is 1, unless the shutdown was aborted.
  std::function<void()> backup = {};

  /// How long the shutdown waits for the backup, in addition to the deadline
  /// and the grace period. After that the status is 129, and the backup counts
  /// as a participant that cannot be stopped. An abort while it runs, also a
  /// further one, ends this time.
  physical_time_span backup_timeout = std::chrono::seconds{60};

  /// Whether the destructor of the shutdown waits until actors that are no
  /// participants have ended, too: the actor system's destructor would wait for
  /// them for ever. They have the grace period; then the process is ended with
  /// the status 129.
  bool await_system = true;

  /// The names of the system's actors, for `adopt_all` and for reports on those
  /// that are no participants. Null if unknown; otherwise it has to outlive the
  /// shutdown.
  const actor_names* names = nullptr;

  /// The least severe level that is logged, see `options`.
  std::string log_level = "info";

  /// The phases; `shutdown::phase` adds others later. "tasks", "actors" and
  /// "final" exist in any case.
  std::map<std::string, phase_options> phases = standard_phases();
};

/// How a participant takes part in the shutdown.
struct part_options {
  /// The phase in which it ends.
  std::string phase = "actors";

  /// The name of a participant that ends only after this one: the actor that
  /// spawned this one, or that it sends to. This one then ends in the parent's
  /// phase, whatever `phase` is. The parent does not wait for participants that
  /// are added after it has handled its own backlog; otherwise it could wait
  /// for ever, if it spawns another one for each that ends.
  std::string parent = {};

  /// Runs when the actor has ended, also if it was aborted. Must not block.
  std::function<void()> post_stop = {};

  /// Whether an application that fails begins the shutdown, with its status:
  /// its `run()` returns a status other than 0, or throws, which counts as 1.
  /// If false, the rest of the program continues. An application that ends by
  /// itself with 0 does not begin the shutdown.
  bool begin_on_failure = true;
};

// -- guards -------------------------------------------------------------------

/// Keeps the shutdown from being complete while it lives. Movable; may be
/// dropped in any thread.
class shutdown_guard {
public:
  shutdown_guard() noexcept = default;

  shutdown_guard(shutdown_guard&&) noexcept = default;

  shutdown_guard& operator=(shutdown_guard&& other) noexcept;

  ~shutdown_guard();

  /// Another guard, named "NAME/name".
  /// @throws std::logic_error if this one was dropped.
  shutdown_guard child(const std::string& name) const;

  /// As `shutdown::spawn_task`, named "NAME/name".
  /// @throws std::logic_error if this guard was dropped.
  /// @throws std::system_error if there are too many threads.
  template <std::invocable<std::stop_token> F>
  task_result_of<F> spawn_task(const std::string& name, F fun) const {
    return spawn(name, false, std::move(fun));
  }

  /// As `shutdown::spawn_temporary`, named "NAME/name", whether this guard is
  /// temporary or not.
  /// @throws std::logic_error if this guard was dropped.
  /// @throws std::system_error if there are too many threads.
  template <std::invocable<std::stop_token> F>
  task_result_of<F> spawn_temporary(const std::string& name, F fun) const {
    return spawn(name, true, std::move(fun));
  }

  /// Cancelled when the shutdown begins.
  std::stop_token token() const;

  /// Drops the guard.
  void drop() noexcept;

  explicit operator bool() const noexcept {
    return core_ != nullptr;
  }

private:
  friend class shutdown;
  friend class detail::shutdown_core;

  shutdown_guard(std::shared_ptr<detail::shutdown_core> core,
                 std::uint64_t id) noexcept
    : core_(std::move(core)), id_(id) {
    // nop
  }

  template <class F>
  task_result_of<F> spawn(const std::string& name, bool temporary,
                          F fun) const {
    auto task = detail::make_task<task_result_of<F>>(std::move(fun));
    start(name, temporary, std::move(task.start));
    return std::move(task.result);
  }

  void start(const std::string& name, bool temporary,
             detail::task_start task) const;

  std::shared_ptr<detail::shutdown_core> core_;
  std::uint64_t id_ = 0;
};

// -- what is going on ---------------------------------------------------------

/// A participant, or another thing that the shutdown waits for or has waited
/// for.
struct part_report {
  enum class kind : std::uint8_t {
    actor,
    application,
    task,
    guard,
    worker,
    action,
  };

  enum class state : std::uint8_t {
    running,  // nobody has asked it to end
    draining, // it handles what was in its mailbox when its phase began
    waiting,  // for `waits_for` to end, or for the others of its phase
    ending,   // it was asked to
    forced,   // it was aborted, and has to end at once
    ended,
    failed,
  };

  std::string name;
  kind what = kind::actor;
  state now = state::running;
  std::string phase = {};

  /// The time since it is in this state, at the time of the report.
  std::chrono::nanoseconds since{0};

  /// Another participant that has to end first.
  std::string waits_for = {};

  /// The participant that waits for this one to end.
  std::string parent = {};

  /// While it drains: the number of its requests whose answers it still has to
  /// handle, when it last handled all earlier messages.
  std::size_t unanswered = 0;

  /// Whether it is idle in `await`, and handles nothing but the answer. Not
  /// known of detached actors.
  bool awaits_answer = false;

  /// Of an application: the node that holds it up, and the reason.
  std::string blocker = {};

  /// The error, if it failed.
  std::string error = {};
};

std::string to_string(part_report::kind x);

template <>
inline constexpr bool detail::has_text<part_report::kind> = true;

std::string to_string(part_report::state x);

template <>
inline constexpr bool detail::has_text<part_report::state> = true;

/// Renders it as one line of text.
std::string to_string(const part_report& x);

/// The state of a shutdown, and what it waits for.
struct shutdown_report {
  /// "running", a phase's name, "backup", "forced" or "over".
  std::string stage;

  shutdown_reason reason = {};

  /// The time since the shutdown began; zero before.
  std::chrono::nanoseconds elapsed{0};

  /// All participants that are left, in the order of registration; then those
  /// that have failed.
  std::vector<part_report> parts = {};

  /// How many actors of the system are alive, participants or not; without
  /// hidden actors, such as most of CAF's own.
  std::size_t actors = 0;

  /// Those of them that are no participants, as "name#id"; empty if their names
  /// are unknown, see `shutdown_options::names`.
  std::vector<std::string> others = {};

  /// How many actors are alive that `shutdown_options::names` does not list, so
  /// that `adopt_all` does not adopt them: they were spawned by code that was
  /// not compiled for it, such as the nodes of an application, or are scoped
  /// actors. A snapshot: actors that come or go at this moment may be missing.
  /// Zero without names.
  std::size_t unseen = 0;

  /// The number of messages that ended actors have left unread.
  std::size_t dead_letters = 0;
};

/// The shortest explanation of why a shutdown is not over: the phase, the
/// participant that it waits for, the participant that this one waits for, and
/// so on to one that waits for no other, with its state. Empty before and after
/// the shutdown.
std::vector<std::string> explain(const shutdown_report& x);

/// Renders it as text: the explanation, then the participants, beginning with
/// those that others wait for.
std::string to_string(const shutdown_report& x);

std::string to_json(const shutdown_report& x);

/// The time of an event of a shutdown.
struct timeline_entry {
  std::string name;

  /// "phase", or the kind of a participant.
  std::string kind;

  /// Its phase.
  std::string phase;

  /// When its end was requested, or when a phase began; since the beginning of
  /// the shutdown.
  std::chrono::nanoseconds begin{0};

  /// When it had ended; now, if it has not.
  std::chrono::nanoseconds end{0};

  /// Whether it has ended.
  bool over = false;

  /// Whether it was aborted, has failed, or took too long.
  bool forced = false;

  /// The number of messages that it has left unread.
  std::size_t unread = 0;

  /// Of an actor that exited before it was asked to, and not as usual: CAF's
  /// reason. "unreachable" if the program had kept no handle of it.
  std::string reason = {};
};

/// The events of a shutdown, phase by phase: first the phase, then the
/// participants that ended in it. Without participants that ended before the
/// shutdown, but for actors that failed, or that CAF has destroyed because the
/// program had kept no handle of them.
using shutdown_timeline = std::vector<timeline_entry>;

std::string to_json(const shutdown_timeline& xs);

/// Draws a bar for each entry, but no more than `max_rows`: in each phase, the
/// entries that took longest.
std::string to_svg(const shutdown_timeline& xs, std::size_t max_rows = 100);

/// A message that an actor has left unread when it ended: it came too late, or
/// the actor was aborted. Valid only while the subscriber runs.
struct dead_letter {
  const std::string& part;
  const caf::strong_actor_ptr& sender; // null if it was sent anonymously
  const caf::message& content;
};

// -- shutdown -----------------------------------------------------------------

/// An orderly end of an actor system and of its participants: actors, tasks on
/// threads of their own, applications, and other functions. It runs in phases,
/// within deadlines, and reports which participant holds it up.
///
/// There are three phases, and any that are added: "tasks", in which guards and
/// spawned tasks end; "actors", in which adopted actors handle the messages in
/// their mailboxes and end; and "final", for the last functions. All members
/// may be called from any thread, also from an actor, except for the destructor
/// and `wait_for_shutdown`, which block.
class shutdown {
public:
  // -- constructors, destructors ----------------------------------------------

  /// @param sys outlives this.
  /// @throws std::invalid_argument for a time that is negative, a level that
  ///         does not exist, or phases that `phase` would refuse.
  explicit shutdown(caf::actor_system& sys, shutdown_options opts = {});

  shutdown(const shutdown&) = delete;

  shutdown& operator=(const shutdown&) = delete;

  /// Shuts down if that has not happened, and waits for it; then for actors
  /// that are no participants, see `shutdown_options::await_system`. After that
  /// the process has its own signal handlers back; if a signal has begun the
  /// shutdown, see `signal_behavior::handle`.
  ~shutdown();

  // -- phases -----------------------------------------------------------------

  /// Adds a phase, or changes one that has not begun.
  /// @throws std::invalid_argument if the phases would form a cycle, if `after`
  ///         names a phase that does not exist, or for a negative timeout.
  /// @throws std::logic_error if it has begun.
  void phase(const std::string& name, phase_options opts = {});

  /// Adds a function to a phase. All functions of a phase run at once, each on
  /// a thread of its own, unless `phase_options::one_by_one` says otherwise.
  /// @returns a number for `remove`.
  /// @throws std::invalid_argument if there is no such phase.
  /// @throws std::logic_error if the phase has begun.
  std::uint64_t on(const std::string& phase, const std::string& name,
                   std::function<void(const shutdown_reason&)> fun);

  /// Removes a function of a phase.
  /// @returns false if its phase has begun.
  bool remove(std::uint64_t task);

  // -- signals ----------------------------------------------------------------

  /// Replaces `shutdown_options::on_signal`; an empty function removes it.
  /// @returns false if the shutdown has begun already, whatever has begun it:
  ///          then `handler` is never called.
  bool on_signal(std::function<void()> handler);

  // -- tasks and guards -------------------------------------------------------

  /// Adds a guard. Dropping it begins the shutdown, because a part of the
  /// program has ended unexpectedly.
  shutdown_guard guard(const std::string& name);

  /// A guard that may be dropped at any time.
  shutdown_guard temporary(const std::string& name);

  /// Runs `fun` on a thread of its own. It should return when the token is
  /// cancelled. If it returns earlier, the shutdown begins. If it throws, the
  /// shutdown begins with the status 1, whether somebody takes the result or
  /// not. Once the shutdown is over, `fun` is not started any more.
  /// @returns the result to come, which may be dropped.
  /// @throws std::system_error if there are too many threads.
  template <std::invocable<std::stop_token> F>
  task_result_of<F> spawn_task(const std::string& name, F fun) {
    return spawn(name, false, std::move(fun));
  }

  /// The same for a function that may return at any time. If it throws, the
  /// shutdown begins with the status 1.
  template <std::invocable<std::stop_token> F>
  task_result_of<F> spawn_temporary(const std::string& name, F fun) {
    return spawn(name, true, std::move(fun));
  }

  /// Cancelled when the shutdown begins.
  std::stop_token token() const;

  // -- workers ----------------------------------------------------------------

  /// Adds a worker, which works until it is notified. In the phase "tasks" all
  /// workers are notified, in the order in which they were added, and awaited
  /// in the opposite order. Failures are logged, and the others continue.
  /// @param await returns when the worker has ended.
  /// @throws std::logic_error if the phase has begun.
  void add_worker(const std::string& name, std::function<void()> notify,
                  std::function<void()> await);

  /// The same for a thread, which is joined.
  void add_worker(const std::string& name, std::function<void()> notify,
                  std::thread worker);

  /// The same for an asynchronous result; if it is an exception, the worker has
  /// failed.
  template <class T>
  void add_worker(const std::string& name, std::function<void()> notify,
                  std::future<T> result) {
    add_worker(
      name, std::move(notify),
      [x = std::make_shared<std::future<T>>(std::move(result))] { x->get(); });
  }

  // -- actors and applications ------------------------------------------------

  /// Makes an actor a participant, typed or not. In its phase it handles the
  /// messages in its mailbox and the answers to its requests, and then gets an
  /// exit message. Its behavior needs no change. If its phase is over already,
  /// it is aborted.
  /// @throws std::invalid_argument if there is no such phase or parent, or the
  ///         handle is invalid.
  template <class Handle>
  void adopt(const Handle& actor, std::string name, part_options opts = {}) {
    adopt_ptr(caf::actor_cast<caf::strong_actor_ptr>(actor), std::move(name),
              std::move(opts));
  }

  /// Makes an application a participant. In its phase its end is requested, as
  /// by a signal, and the phase waits until its `run()` has returned. All
  /// messages up to its final tag are sent before later phases begin. An
  /// application that has not started by then does not start any more: its
  /// `run()` returns 0 at once. If it fails, the shutdown begins, see
  /// `part_options::begin_on_failure`. Set its option `signals` to `none`.
  /// @param app may be destroyed before the shutdown or after it; then it is no
  ///        participant any more.
  void adopt(application& app, std::string name, part_options opts = {});

  /// Makes all actors of the system participants that nobody has adopted when
  /// the shutdown begins, under the name "name#id". An actor is a child of the
  /// one that spawned it, if that one takes part, and so ends before it, in its
  /// phase. The others end in `phase`. Actors that are spawned in the shutdown
  /// take part as well: they end with their parents, or with the phase; at
  /// once, if that is over.
  ///
  /// CAF's own actors, which are hidden, and this library's are left alone. An
  /// actor that is not in `shutdown_options::names` cannot be adopted: see
  /// `shutdown_report::unseen`, of which the log warns when the shutdown
  /// begins.
  /// @throws std::logic_error if `shutdown_options::names` is null.
  /// @throws std::invalid_argument if there is no such phase.
  void adopt_all(const std::string& phase = "actors");

  /// Calls `subscriber` for each message that an actor leaves unread; in the
  /// actor's thread, while it ends: it must not block. Messages to an actor
  /// that has ended before are not seen; CAF drops them.
  void on_dead_letter(std::function<void(const dead_letter&)> subscriber);

  // -- shutting down ----------------------------------------------------------

  /// Begins the shutdown. Further calls have no effect.
  /// @returns whether this was the first.
  /// @throws std::invalid_argument for a status outside of 0 to 255.
  bool begin(shutdown_reason reason = {"a request"});

  /// Aborts the shutdown, as a second signal does.
  /// @throws std::invalid_argument for a status outside of 0 to 255.
  void force(int status = 128);

  /// Waits until the shutdown has begun, and is over.
  /// @returns the status: that of the reason; 1 if something has failed; 128
  ///          after a second signal; 129 if a deadline has passed.
  int wait_for_shutdown();

  /// The same with a deadline of its own, from the beginning of the shutdown.
  /// @throws std::invalid_argument if it is negative.
  int wait_for_shutdown(physical_time_span deadline);

  // -- properties -------------------------------------------------------------

  /// Reports what the shutdown waits for. At any time.
  shutdown_report status() const;

  /// Returns the events so far. At any time.
  shutdown_timeline timeline() const;

private:
  friend class live_page;

  template <class F>
  task_result_of<F> spawn(const std::string& name, bool temporary, F fun) {
    auto task = detail::make_task<task_result_of<F>>(std::move(fun));
    start(name, temporary, std::move(task.start));
    return std::move(task.result);
  }

  void start(const std::string& name, bool temporary, detail::task_start task);

  void adopt_ptr(caf::strong_actor_ptr actor, std::string name,
                 part_options opts);

  std::shared_ptr<detail::shutdown_core> core_;
  std::thread runner_;
};

} // namespace caf::rosia
