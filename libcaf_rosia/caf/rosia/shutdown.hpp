// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/has_text.hpp"
#include "caf/rosia/fwd.hpp"
#include "caf/rosia/signal_behavior.hpp"
#include "caf/rosia/thread_result.hpp"
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

/// The reason of a shutdown.
struct shutdown_reason {
  /// A text for users: "signal 15", "thread 'feed' failed: no route".
  std::string text = {};

  /// The status of the shutdown, from 0 to 255, unless a failure determines
  /// another.
  int status = 0;
};

/// A phase of the shutdown.
struct phase_options {
  /// The phases that must finish before this one begins.
  std::vector<std::string> after = {};

  /// The time limit of the phase. When it expires, the log names all remaining
  /// participants; actors are aborted, and all other participants abandoned.
  physical_time_span timeout = std::chrono::seconds{5};

  /// Whether the shutdown continues with the next phase after a failure or a
  /// timeout. If false, it is aborted.
  bool recover = true;

  /// Whether the actors of the phase answer each other until all of them have
  /// handled their backlogs and the answers to their requests, or half of the
  /// timeout has passed. If false, each actor exits as soon as it has drained,
  /// which is about a third faster for very many actors. In that case, put
  /// actors that receive requests into a later phase, or make them parents.
  bool together = false;

  /// Whether the phase's functions, which `on` added, run one after the other,
  /// in the reverse order of their addition, like destructors. If one fails,
  /// the next one still runs. After a timeout of the phase or an abort, no
  /// further function starts.
  bool one_by_one = false;
};

/// Returns "threads", "actors" and "final", in this order.
std::map<std::string, phase_options> standard_phases();

/// The options of a shutdown.
struct shutdown_options {
  /// How SIGINT and SIGTERM are handled, as for an application: the first
  /// begins the shutdown, the second aborts it. SIGUSR1 logs a report.
  signal_behavior signals = signal_behavior::handle;

  /// Whether SIGHUP is included, see `options::sighup`.
  bool sighup = false;

  /// The time limit of the phases, counted from the beginning of the shutdown
  /// or from the end of `on_signal`. When it expires, the shutdown is aborted.
  physical_time_span deadline = std::chrono::seconds{30};

  /// The time from an abort until the process is ended with status 129. Also
  /// the time that a finished shutdown waits for a call of `wait_for_shutdown`
  /// or its destruction: a `main` that is blocked elsewhere would keep the
  /// process alive forever. After that time the process is ended with the
  /// status of the shutdown.
  physical_time_span grace_period = std::chrono::seconds{5};

  /// Maps the status of the shutdown to the program's exit codes. Must not
  /// throw. A result outside of 0 to 255 counts as 1, because a process cannot
  /// end with it.
  std::function<int(int status, const shutdown_reason& reason)> map_status = {};

  /// Whether the process is ended if a participant cannot be stopped, or if the
  /// program does not wait for the shutdown. If false, `wait_for_shutdown`
  /// returns 129 and leaves the participant behind, and a shutdown that the
  /// program does not wait for is only logged.
  bool end_process = true;

  /// Runs on a separate thread at the first signal, before anything is
  /// cancelled, for example to take a last checkpoint. It can be set later, see
  /// `shutdown::on_signal`.
  std::function<void()> on_signal = {};

  /// The time limit of `on_signal`.
  physical_time_span on_signal_timeout = std::chrono::seconds{120};

  /// The last step of every shutdown. Runs on a separate thread when all
  /// participants have ended or could not be stopped, even after a failure or
  /// an abort. If it fails, the status is 1, unless the shutdown was aborted.
  std::function<void()> backup = {};

  /// The time limit of the backup, in addition to the deadline and the grace
  /// period. When it expires, the status is 129, and the backup counts as a
  /// participant that cannot be stopped. Any abort during the backup ends this
  /// time.
  physical_time_span backup_timeout = std::chrono::seconds{60};

  /// Whether the destructor of the shutdown waits for actors that are not
  /// participants. The actor system's destructor would wait for them forever.
  /// If they outlast the grace period, the process is ended with status 129.
  bool await_system = true;

  /// The names of the system's actors, for `adopt_all` and for reports on
  /// actors that are not participants. Null if unknown; otherwise it must
  /// outlive the shutdown.
  const actor_names* names = nullptr;

  /// The least severe level that is logged, see `options`.
  std::string log_level = "info";

  /// The phases. `shutdown::phase` adds phases later. "threads", "actors" and
  /// "final" always exist.
  std::map<std::string, phase_options> phases = standard_phases();
};

/// The options of a participant.
struct part_options {
  /// The phase in which it ends.
  std::string phase = "actors";

  /// The name of a participant that ends only after this one: the actor that
  /// spawned this one, or that receives its messages. This one then ends in the
  /// parent's phase, whatever `phase` is. The parent does not wait for
  /// participants that are added after it has handled its backlog. Otherwise a
  /// parent that spawns a new actor for each that ends would wait forever.
  std::string parent = {};

  /// Runs after the actor ended, even if it was aborted. Must not block.
  std::function<void()> post_stop = {};

  /// Whether an application that fails begins the shutdown with its status: its
  /// `run()` returns a status other than 0, or throws, which counts as 1. If
  /// false, the rest of the program continues. An application that ends by
  /// itself with 0 does not begin the shutdown.
  bool begin_on_failure = true;
};

// -- guards -------------------------------------------------------------------

/// Prevents the shutdown from finishing while it exists. Movable; any thread
/// may drop it.
class shutdown_guard {
public:
  shutdown_guard() noexcept = default;

  shutdown_guard(shutdown_guard&&) noexcept = default;

  shutdown_guard& operator=(shutdown_guard&& other) noexcept;

  ~shutdown_guard();

  /// Adds a guard named "NAME/name".
  /// @throws std::logic_error if this guard was dropped.
  shutdown_guard child(const std::string& name) const;

  /// Like `shutdown::spawn_thread`, named "NAME/name".
  /// @throws std::logic_error if this guard was dropped.
  /// @throws std::system_error if there are too many threads.
  template <std::invocable<std::stop_token> F>
  thread_result_of<F> spawn_thread(const std::string& name, F fun) const {
    return spawn(name, false, std::move(fun));
  }

  /// Like `shutdown::spawn_temporary`, named "NAME/name", whether this guard is
  /// temporary or not.
  /// @throws std::logic_error if this guard was dropped.
  /// @throws std::system_error if there are too many threads.
  template <std::invocable<std::stop_token> F>
  thread_result_of<F> spawn_temporary(const std::string& name, F fun) const {
    return spawn(name, true, std::move(fun));
  }

  /// Returns a token that is cancelled when the shutdown begins.
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
  thread_result_of<F> spawn(const std::string& name, bool temporary,
                            F fun) const {
    auto thread = detail::make_thread<thread_result_of<F>>(std::move(fun));
    start(name, temporary, std::move(thread.start));
    return std::move(thread.result);
  }

  void start(const std::string& name, bool temporary,
             detail::thread_start thread) const;

  std::shared_ptr<detail::shutdown_core> core_;
  std::uint64_t id_ = 0;
};

// -- reports ------------------------------------------------------------------

/// A participant, or another thing that the shutdown waits for or waited for.
struct part_report {
  enum class kind : std::uint8_t {
    actor,
    application,
    thread,
    guard,
    worker,
    action,
  };

  enum class state : std::uint8_t {
    running,  // its end was not requested
    draining, // it handles the messages from before the start of its phase
    waiting,  // for `waits_for` to end, or for the other actors of its phase
    ending,   // its end was requested
    aborted,  // it was aborted, and must end at once
    ended,
    failed,
  };

  std::string name;
  kind type = kind::actor;
  state now = state::running;
  std::string phase = {};

  /// The time in this state, up to the report.
  std::chrono::nanoseconds since{0};

  /// The participant that must end first.
  std::string waits_for = {};

  /// The participant that waits for this one to end.
  std::string parent = {};

  /// For an actor that drains: the number of its requests without a handled
  /// answer, as of the last time that it had handled all earlier messages.
  std::size_t unanswered = 0;

  /// Whether it is idle in `await`, and handles only the answer. Unknown for
  /// detached actors.
  bool awaits_answer = false;

  /// For an application: the node that delays it, and the reason.
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

/// Renders the report as one line of text.
std::string to_string(const part_report& x);

/// The state of a shutdown, and what it waits for.
struct shutdown_report {
  /// "running", a phase's name, "backup", "aborted" or "over".
  std::string stage;

  shutdown_reason reason = {};

  /// The time since the shutdown began; zero before.
  std::chrono::nanoseconds elapsed{0};

  /// All remaining participants, in the order of registration; then those that
  /// failed.
  std::vector<part_report> parts = {};

  /// The number of living actors of the system, participants or not; without
  /// hidden actors, such as most of CAF's own.
  std::size_t actors = 0;

  /// The actors among them that are not participants, as "name#id". Empty if
  /// the names are unknown, see `shutdown_options::names`.
  std::vector<std::string> others = {};

  /// The number of living actors that `shutdown_options::names` does not list,
  /// so that `adopt_all` does not adopt them. They are scoped actors, or were
  /// spawned by code that was not compiled for the list, such as the nodes of
  /// an application. A snapshot: actors that start or end at the same time may
  /// be missing. Zero without names.
  std::size_t unseen = 0;

  /// The number of messages that ended actors left unread.
  std::size_t dead_letters = 0;
};

/// Returns the shortest explanation of why a shutdown has not finished: the
/// phase, the participant that it waits for, the participant that this one
/// waits for, and so on, up to one that waits for no other, with its state.
/// Empty before and after the shutdown.
std::vector<std::string> explain(const shutdown_report& x);

/// Renders the report as text: the explanation, then the participants. Those
/// that block other participants are first.
std::string to_string(const shutdown_report& x);

std::string to_json(const shutdown_report& x);

/// An event of a shutdown.
struct timeline_entry {
  std::string name;

  /// "phase", or the kind of a participant.
  std::string kind;

  /// Its phase.
  std::string phase;

  /// The time at which its end was requested, or at which the phase began,
  /// since the beginning of the shutdown.
  std::chrono::nanoseconds begin{0};

  /// The time of its end; the current time if it has not ended.
  std::chrono::nanoseconds end{0};

  /// Whether it has ended.
  bool over = false;

  /// Whether it was aborted, failed, or took too long.
  bool aborted = false;

  /// The number of messages that it left unread.
  std::size_t unread = 0;

  /// For an actor that exited abnormally before its end was requested: CAF's
  /// reason. "unreachable" if the program kept no handle of it.
  std::string reason = {};
};

/// The events of a shutdown. Each phase is followed by the participants that
/// ended in it. Participants that ended before the shutdown are omitted, except
/// actors that failed, or that CAF destroyed because the program kept no handle
/// of them.
using shutdown_timeline = std::vector<timeline_entry>;

std::string to_json(const shutdown_timeline& xs);

/// Draws a bar for each entry. If there are more than `max_rows`, draws the
/// longest entries of each phase.
std::string to_svg(const shutdown_timeline& xs, std::size_t max_rows = 100);

/// A message that an actor left unread when it ended, because the message
/// arrived too late or the actor was aborted. Valid only during the
/// subscriber's call.
struct dead_letter {
  const std::string& part;
  const caf::strong_actor_ptr& sender; // null if it was sent anonymously
  const caf::message& content;
};

// -- shutdown -----------------------------------------------------------------

/// Ends an actor system and its participants in an orderly way. Participants
/// are actors, threads, applications, and other functions.
/// The shutdown runs in phases, within deadlines, and reports which participant
/// delays it.
///
/// There are three phases, and any that are added: "threads", in which guards
/// and spawned threads end; "actors", in which adopted actors handle the
/// messages in their mailboxes and end; and "final", for the last functions.
/// Any thread, even an actor's, may call all members except the destructor and
/// `wait_for_shutdown`, which block.
class shutdown {
public:
  // -- constructors, destructors ----------------------------------------------

  /// @param sys must outlive this.
  /// @throws std::invalid_argument for a negative time, an unknown level, or
  /// phases that `phase` would refuse.
  explicit shutdown(caf::actor_system& sys, shutdown_options opts = {});

  shutdown(const shutdown&) = delete;

  shutdown& operator=(const shutdown&) = delete;

  /// Shuts down if this was not done yet, and waits until it has finished; then
  /// waits for actors that are not participants, see
  /// `shutdown_options::await_system`. Afterwards the process has its own
  /// signal handlers again; if a signal began the shutdown, see
  /// `signal_behavior::handle`.
  ~shutdown();

  // -- phases -----------------------------------------------------------------

  /// Adds a phase, or changes a phase before it begins.
  /// @throws std::invalid_argument if the phases would form a cycle, if `after`
  /// names an unknown phase, or for a negative timeout.
  /// @throws std::logic_error after the phase began.
  void phase(const std::string& name, phase_options opts = {});

  /// Adds a function to a phase. All functions of a phase run in parallel on
  /// separate threads, unless `phase_options::one_by_one` is set.
  /// @returns a number for `remove`.
  /// @throws std::invalid_argument for an unknown phase.
  /// @throws std::logic_error after the phase began.
  std::uint64_t on(const std::string& phase, const std::string& name,
                   std::function<void(const shutdown_reason&)> fun);

  /// Removes a function of a phase.
  /// @returns false after its phase began.
  bool remove(std::uint64_t function);

  // -- signals ----------------------------------------------------------------

  /// Replaces `shutdown_options::on_signal`. An empty function removes it.
  /// @returns false if the shutdown has already begun, for whatever reason. If
  ///   so, `handler` is never called.
  bool on_signal(std::function<void()> handler);

  // -- threads and guards
  // -------------------------------------------------------

  /// Adds a guard. Dropping it begins the shutdown, because a part of the
  /// program ended unexpectedly.
  shutdown_guard guard(const std::string& name);

  /// Adds a guard that may be dropped at any time.
  shutdown_guard temporary(const std::string& name);

  /// Runs `fun` on a separate thread. It should return when the token is
  /// cancelled. If it returns earlier, the shutdown begins. If it throws, the
  /// shutdown begins with status 1, whether or not the result is taken. After
  /// the shutdown, `fun` is not started.
  /// @returns the future result, which may be dropped.
  /// @throws std::system_error if there are too many threads.
  template <std::invocable<std::stop_token> F>
  thread_result_of<F> spawn_thread(const std::string& name, F fun) {
    return spawn(name, false, std::move(fun));
  }

  /// Runs `fun` on a separate thread; it may return at any time. If it throws,
  /// the shutdown begins with status 1.
  template <std::invocable<std::stop_token> F>
  thread_result_of<F> spawn_temporary(const std::string& name, F fun) {
    return spawn(name, true, std::move(fun));
  }

  /// Returns a token that is cancelled when the shutdown begins.
  std::stop_token token() const;

  // -- workers ----------------------------------------------------------------

  /// Adds a worker, which works until it is notified. In the phase "threads"
  /// all workers are notified, in the order in which they were added, and
  /// awaited in the reverse order. Failures are logged, and the other workers
  /// continue.
  /// @param await returns when the worker ends.
  /// @throws std::logic_error after the phase began.
  void add_worker(const std::string& name, std::function<void()> notify,
                  std::function<void()> await);

  /// Adds a thread as a worker. Waits for it by joining it.
  void add_worker(const std::string& name, std::function<void()> notify,
                  std::thread worker);

  /// Adds an asynchronous result as a worker. The worker has failed if the
  /// result is an exception.
  template <class T>
  void add_worker(const std::string& name, std::function<void()> notify,
                  std::future<T> result) {
    add_worker(
      name, std::move(notify),
      [x = std::make_shared<std::future<T>>(std::move(result))] { x->get(); });
  }

  // -- actors and applications ------------------------------------------------

  /// Makes an actor a participant, typed or not. In its phase it handles the
  /// messages in its mailbox and the answers to its requests, and then receives
  /// an exit message. Its behavior needs no change. If the phase has finished
  /// already, the actor is aborted.
  /// @throws std::invalid_argument for an unknown phase or parent, or an
  /// invalid handle.
  template <class Handle>
  void adopt(const Handle& actor, std::string name, part_options opts = {}) {
    adopt_ptr(caf::actor_cast<caf::strong_actor_ptr>(actor), std::move(name),
              std::move(opts));
  }

  /// Makes an application a participant. In its phase its end is requested, as
  /// by a signal, and the phase waits until its `run()` has returned. All
  /// messages up to its final tag are sent before later phases begin. An
  /// application that was not started by then no longer starts: its `run()`
  /// returns 0 at once. If the application fails, the shutdown begins, see
  /// `part_options::begin_on_failure`. Set its option `signals` to `none`.
  /// @param app may be destroyed before or after the shutdown, and is then no
  ///   longer a participant.
  void adopt(application& app, std::string name, part_options opts = {});

  /// When the shutdown begins, adopts all actors of the system that are not
  /// participants yet, with names of the form "name#id". An actor whose spawner
  /// is a participant is a child of the spawner: it ends first, in the same
  /// phase. All other actors end in `phase`. Actors that are spawned during the
  /// shutdown become participants, too. They end with their parents, or with
  /// the phase, or at once if the phase has finished.
  ///
  /// The hidden actors of CAF, and the actors of this library, are not adopted.
  /// Neither is an actor that is not in `shutdown_options::names`: see
  /// `shutdown_report::unseen`. The log warns of such actors when the shutdown
  /// begins.
  /// @throws std::logic_error if `shutdown_options::names` is null.
  /// @throws std::invalid_argument for an unknown phase.
  void adopt_all(const std::string& phase = "actors");

  /// Calls `subscriber` for each message that an actor leaves unread. The call
  /// is made in the actor's thread while the actor ends, and must not block.
  /// Messages to an actor that ended earlier are not reported, because CAF
  /// drops them.
  void on_dead_letter(std::function<void(const dead_letter&)> subscriber);

  // -- shutting down ----------------------------------------------------------

  /// Begins the shutdown. Further calls have no effect.
  /// @returns whether this was the first call.
  /// @throws std::invalid_argument for a status outside of 0 to 255.
  bool begin(shutdown_reason reason = {"a request"});

  /// Aborts the shutdown, as a second signal does.
  /// @throws std::invalid_argument for a status outside of 0 to 255.
  void abort(int status = 128);

  /// Waits until the shutdown has begun and finished.
  /// @returns the status: that of the reason; 1 after a failure; 128 after a
  ///   second signal; 129 after a deadline.
  /// @throws std::logic_error in a thread, or in a function of a phase: the
  ///   shutdown waits for these.
  int wait_for_shutdown();

  /// Waits with another deadline, counted from the beginning of the shutdown.
  /// @throws std::invalid_argument if it is negative.
  /// @throws std::logic_error as the function above.
  int wait_for_shutdown(physical_time_span deadline);

  // -- properties -------------------------------------------------------------

  /// Returns a report on what the shutdown waits for. May be called at any
  /// time.
  shutdown_report status() const;

  /// Returns the events so far. May be called at any time.
  shutdown_timeline timeline() const;

private:
  friend class live_page;

  template <class F>
  thread_result_of<F> spawn(const std::string& name, bool temporary, F fun) {
    auto thread = detail::make_thread<thread_result_of<F>>(std::move(fun));
    start(name, temporary, std::move(thread.start));
    return std::move(thread.result);
  }

  void start(const std::string& name, bool temporary,
             detail::thread_start thread);

  void adopt_ptr(caf::strong_actor_ptr actor, std::string name,
                 part_options opts);

  std::shared_ptr<detail::shutdown_core> core_;
  std::thread runner_;
};

} // namespace caf::rosia
