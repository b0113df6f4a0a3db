// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/fwd.hpp"
#include "caf/rosia/shutdown/shutdown_guard.hpp"
#include "caf/rosia/shutdown/shutdown_options.hpp"
#include "caf/rosia/shutdown/shutdown_report.hpp"
#include "caf/rosia/shutdown/thread_result.hpp"
#include "caf/rosia/time_span.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/fwd.hpp>
#include <caf/message.hpp>

#include <concepts>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

namespace caf::rosia {

namespace detail {

class shutdown_core;

} // namespace detail

/// A message that an actor left unread when it ended, because the message
/// arrived too late or the actor was aborted. Valid only during the
/// subscriber's call.
struct dead_letter {
  const std::string& part;
  const caf::strong_actor_ptr& sender; // null if it was sent anonymously
  const caf::message& content;
};

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

  /// Reads the options from the system's config, as `shutdown_options_from`
  /// does.
  /// @param sys must outlive this.
  /// @throws std::invalid_argument for a wrong option.
  explicit shutdown(caf::actor_system& sys);

  /// @param sys must outlive this.
  /// @throws std::invalid_argument for a negative time, an unknown level, or
  /// phases that `phase` would refuse.
  shutdown(caf::actor_system& sys, shutdown_options opts);

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
