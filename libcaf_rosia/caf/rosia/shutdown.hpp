// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/fwd.hpp"
#include "caf/rosia/options.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/fwd.hpp>
#include <caf/message.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
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

  /// The status that it leads to, unless something worse happens.
  int status = 0;
};

/// How a system shuts down.
struct shutdown_options {
  /// What to do about SIGINT and SIGTERM, as for an application: the first
  /// begins the shutdown, the second forces it. SIGUSR1 logs a report.
  signal_behavior signals = signal_behavior::handle;

  /// From the begin of the shutdown until what is left is stopped by force.
  std::chrono::nanoseconds deadline = std::chrono::seconds{30};

  /// From then on until the process is ended, with the status 129.
  std::chrono::nanoseconds grace_period = std::chrono::seconds{5};

  /// Turns the status that the shutdown leads to into another one, for programs
  /// whose exit codes have meanings of their own. Must not throw.
  std::function<int(int status, const shutdown_reason& reason)> map_status = {};

  /// Whether the process is ended if something cannot be stopped. If not,
  /// `wait_for_shutdown` returns 129 and leaves it behind.
  bool end_process = true;

  /// Runs on a thread of its own when the first signal comes, before anything
  /// is cancelled: the place for a last checkpoint.
  std::function<void()> on_signal = {};

  /// How long the shutdown waits for it.
  std::chrono::nanoseconds on_signal_timeout = std::chrono::seconds{120};

  /// Runs if `on_signal` fails or takes too long, for no longer than that.
  std::function<void()> backup = {};

  /// Whether the destructor of the shutdown waits until actors that took no
  /// part are gone, too: the actor system's destructor would wait for them for
  /// ever. They have the grace period; then the process is ended with the
  /// status 129.
  bool await_system = true;

  /// The names of the system's actors, for reports on those that take no part.
  /// Null if they are not known; otherwise it outlives the shutdown.
  const actor_names* names = nullptr;

  /// The least severe level that is logged, see `options`.
  std::string log_level = "info";
};

/// A step of the shutdown.
struct phase_options {
  /// The phases that are over before this one begins.
  std::vector<std::string> after = {};

  /// What has not ended by then is named, and left behind; actors are stopped
  /// by force.
  std::chrono::nanoseconds timeout = std::chrono::seconds{5};

  /// Whether the shutdown goes on with the next phase after a failure or a
  /// timeout; if not, it is forced.
  bool recover = true;

  /// Whether the actors of the phase answer each other until all of them have
  /// handled their backlogs and got the answers that they wait for, or half of
  /// the timeout has passed. If not, each ends as soon as it has come so far,
  /// which is about a third faster where there are very many: then whom others
  /// ask belongs to a later phase, or is their parent.
  bool together = false;
};

/// How an actor takes part in the shutdown.
struct part_options {
  /// When it is stopped.
  std::string phase = "actors";

  /// The name of a part which ends only when this one has: a part that spawned
  /// this one, or that it sends to. The parent does not wait for parts that
  /// come after it has handled its own backlog, or it might spawn another one
  /// for each that ends, for ever.
  std::string parent = {};

  /// Runs when the actor has ended, also by force. Must not block.
  std::function<void()> post_stop = {};
};

// -- guards -------------------------------------------------------------------

/// Keeps the shutdown from being complete as long as it lives. Movable; may be
/// dropped in any thread.
class shutdown_guard {
public:
  shutdown_guard() noexcept = default;

  shutdown_guard(shutdown_guard&&) noexcept = default;

  shutdown_guard& operator=(shutdown_guard&& other) noexcept;

  ~shutdown_guard();

  /// Another guard, named "NAME/name".
  shutdown_guard child(const std::string& name) const;

  /// Cancelled when the shutdown begins.
  std::stop_token token() const;

  /// Drops it.
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

  std::shared_ptr<detail::shutdown_core> core_;
  std::uint64_t id_ = 0;
};

// -- what is going on ---------------------------------------------------------

/// Something that the shutdown waits for, or has waited for.
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
    forced,   // it has to end at once
    ended,
    failed,
  };

  std::string name;
  kind what = kind::actor;
  state now = state::running;
  std::string phase = {};

  /// Since when, before the report was made.
  std::chrono::nanoseconds since{0};

  /// Another part that has to end first.
  std::string waits_for = {};

  /// The part that waits for this one to end.
  std::string parent = {};

  /// While it drains: how many requests it had sent, when it was last seen to
  /// have handled all that came before, whose answers it still wants to handle.
  std::size_t unanswered = 0;

  /// Whether it is idle in `await`, and handles nothing but the answer. Not
  /// known of detached actors.
  bool awaits_answer = false;

  /// Of an application: the node that holds it up, and why.
  std::string obstacle = {};

  /// What went wrong.
  std::string error = {};
};

std::string to_string(part_report::kind x);

std::string to_string(part_report::state x);

/// Renders it as one line of text.
std::string to_string(const part_report& x);

/// Who holds a shutdown up.
struct shutdown_report {
  /// "running", a phase's name, "forced" or "over".
  std::string stage;

  shutdown_reason reason = {};

  /// Since the shutdown began; zero before.
  std::chrono::nanoseconds elapsed{0};

  /// All that is left, in the order of registration; then what has failed.
  std::vector<part_report> parts = {};

  /// How many actors of the system are alive, whether they take part or not;
  /// without those that are hidden, as most of CAF's own are.
  std::size_t actors = 0;

  /// Those of them that take no part, "name#id"; empty if their names are not
  /// known, see `shutdown_options::names`.
  std::vector<std::string> others = {};

  /// How many messages ended actors have left unread.
  std::size_t dead_letters = 0;
};

/// The shortest explanation of why a shutdown is not over: the phase, the part
/// that it waits for, the part that this one waits for, and so on to one that
/// waits for nobody else, with what is known of it. Empty before and after.
std::vector<std::string> explain(const shutdown_report& x);

/// Renders it as text: the explanation, then the parts; those first that others
/// wait for.
std::string to_string(const shutdown_report& x);

std::string to_json(const shutdown_report& x);

/// When something happened in a shutdown.
struct timeline_entry {
  std::string name;

  /// "phase", or the kind of a part.
  std::string what;

  /// The phase that it belongs to.
  std::string phase;

  /// From when it was asked to end, or a phase began; since the shutdown began.
  std::chrono::nanoseconds begin{0};

  /// Until it had ended; until now, if it has not.
  std::chrono::nanoseconds end{0};

  /// Whether it has ended.
  bool over = false;

  /// Whether it was ended by force, has failed, or took too long.
  bool forced = false;

  /// How many messages it has left unread.
  std::size_t unread = 0;
};

/// What happened in a shutdown, phase by phase: first the phase, then what
/// ended in it. What ended before the shutdown is not in it.
using shutdown_timeline = std::vector<timeline_entry>;

std::string to_json(const shutdown_timeline& xs);

/// Draws it: a bar for each entry, but no more than `max_rows`; of each phase
/// those that took longest.
std::string to_svg(const shutdown_timeline& xs, std::size_t max_rows = 100);

/// A message that an actor has left unread, because its exit ended it: one that
/// came too late, or was there when it was ended by force.
struct dead_letter {
  const std::string& part;
  const caf::strong_actor_ptr& sender; // null if it was sent anonymously
  const caf::message& content;
};

// -- shutdown -----------------------------------------------------------------

/// An orderly end of an actor system and of what belongs to it: actors, tasks
/// on threads of their own, applications, and whatever else has to be done, in
/// phases, within deadlines, with a report of who holds it up.
///
/// There are three phases, and any that are added: "tasks", in which guards and
/// spawned tasks end; "actors", in which adopted actors handle what they have
/// in their mailboxes and end; and "final", for what comes last. All members
/// may be called from any thread, also from an actor, but for the destructor
/// and `wait_for_shutdown`, which block.
class shutdown {
public:
  // -- constructors, destructors ----------------------------------------------

  /// @param sys outlives this.
  /// @throws std::invalid_argument for a time that is negative, or a level that
  ///         does not exist.
  explicit shutdown(caf::actor_system& sys, shutdown_options opts = {});

  shutdown(const shutdown&) = delete;

  shutdown& operator=(const shutdown&) = delete;

  /// Shuts down if that has not happened, and waits for it; then for actors
  /// that took no part, see `shutdown_options::await_system`.
  ~shutdown();

  // -- phases -----------------------------------------------------------------

  /// Adds a phase, or changes one that has not begun.
  /// @throws std::invalid_argument if it would come after itself, by way of the
  ///         phases that are named; or if one of these does not exist.
  /// @throws std::logic_error if it has begun.
  void phase(const std::string& name, phase_options opts = {});

  /// Adds something to do in a phase. All tasks of a phase run at once, each on
  /// a thread of its own.
  /// @returns a number for `remove`.
  /// @throws std::invalid_argument if there is no such phase.
  /// @throws std::logic_error if it has begun.
  std::uint64_t on(const std::string& phase, const std::string& name,
                   std::function<void(const shutdown_reason&)> what);

  /// Removes it again.
  /// @returns false if its phase has begun.
  bool remove(std::uint64_t task);

  // -- tasks and guards -------------------------------------------------------

  /// A guard; dropping it begins the shutdown, because something has ended that
  /// should not.
  shutdown_guard guard(const std::string& name);

  /// A guard that may be dropped at any time.
  shutdown_guard temporary(const std::string& name);

  /// Runs `what` on a thread of its own. It should return when the token is
  /// cancelled. If it returns before, the shutdown begins; if it throws, with
  /// the status 1. Not started any more once the shutdown is over.
  /// @throws std::system_error if there are too many threads.
  void spawn_task(const std::string& name,
                  std::function<void(std::stop_token)> what);

  /// The same for something that may end at any time; but it must not fail.
  void spawn_temporary(const std::string& name,
                       std::function<void(std::stop_token)> what);

  /// Cancelled when the shutdown begins.
  std::stop_token token() const;

  // -- workers ----------------------------------------------------------------

  /// Adds something that works until it is notified: in the phase "tasks" all
  /// are notified, in the order in which they were added, and awaited in the
  /// opposite one. Failures are logged, and the others go on.
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

  /// Makes an actor take part, typed or not: it handles what is in its mailbox
  /// and the answers to what it has asked, and gets an exit message then. Its
  /// behavior needs no change.
  /// @throws std::invalid_argument if there is no such phase or parent.
  template <class Handle>
  void adopt(const Handle& actor, std::string name, part_options opts = {}) {
    adopt_ptr(caf::actor_cast<caf::strong_actor_ptr>(actor), std::move(name),
              std::move(opts));
  }

  /// Makes an application take part: in its phase it is asked to end, as by a
  /// signal, and the phase waits until its `run()` has returned. What it emits
  /// up to its final tag has been sent when later phases begin. Set its option
  /// `signals` to `none`.
  /// @param app outlives the shutdown.
  void adopt(application& app, std::string name, part_options opts = {});

  /// Calls `subscriber` for each message that an actor leaves unread; in the
  /// actor's thread, while it ends: it must not block. Messages to an actor
  /// that has ended before are not seen; CAF drops them.
  void on_dead_letter(std::function<void(const dead_letter&)> subscriber);

  // -- shutting down ----------------------------------------------------------

  /// Begins the shutdown. Further calls have no effect.
  /// @returns whether this was the first.
  bool begin(shutdown_reason reason = {"a request"});

  /// Ends it at once, as a second signal does.
  void force(int status = 128);

  /// Waits until the shutdown has begun, and is over.
  /// @returns the status: that of the reason; 1 if something has failed; 128
  ///          after a second signal; 129 if a deadline has passed.
  int wait_for_shutdown();

  /// The same with a deadline of its own, from the begin of the shutdown.
  /// @throws std::invalid_argument if it is negative.
  int wait_for_shutdown(std::chrono::nanoseconds deadline);

  // -- properties -------------------------------------------------------------

  /// Tells what the shutdown waits for. At any time.
  shutdown_report status() const;

  /// Tells what happened so far. At any time.
  shutdown_timeline timeline() const;

private:
  void adopt_ptr(caf::strong_actor_ptr actor, std::string name,
                 part_options opts);

  std::shared_ptr<detail::shutdown_core> core_;
  std::thread runner_;
};

} // namespace caf::rosia
