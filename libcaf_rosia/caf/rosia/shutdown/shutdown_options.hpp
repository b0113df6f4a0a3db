// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/signal_behavior.hpp"
#include "caf/rosia/time_span.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace caf::rosia {

class actor_names;

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

} // namespace caf::rosia
