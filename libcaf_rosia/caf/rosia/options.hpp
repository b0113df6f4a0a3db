// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"

#include <caf/fwd.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace caf::rosia {

/// What an application does about SIGINT and SIGTERM while it runs.
enum class signal_behavior : std::uint8_t {
  /// The first signal requests a shutdown, the second forces it. SIGUSR1 asks
  /// for a report.
  handle,
  /// The process ignores both signals.
  ignore,
  /// The application leaves the process's handlers as they are.
  none,
};

/// Returns "handle", "ignore" or "none".
std::string to_string(signal_behavior x);

/// How an application runs. Each member is also an option of the same name in
/// the group `rosia`, on the command line (`--rosia.lag_warn=10ms`) and in
/// CAF's config file, see `config` and `options_from`.
struct options {
  /// Whether a tag waits for its physical time. If not, nodes run as fast as
  /// the semantics allows. On the command line: `--rosia.realtime=false`.
  bool realtime = true;

  /// Logs a node whose logical time is off physical time by more than this.
  /// Without a value, nothing is logged.
  std::optional<std::chrono::nanoseconds> lag_warn = std::nullopt;

  /// Requests a shutdown for this tag before the start.
  std::optional<logical_time> stop_after = std::nullopt;

  /// Forces the application's end after this much physical time; zero does so
  /// at once.
  std::optional<std::chrono::nanoseconds> timeout = std::nullopt;

  /// The file that the trace goes to. Empty: no trace.
  std::string trace = {};

  /// The file that a report goes to, as JSON, after an end by force and on
  /// SIGUSR1. Empty: only the log tells.
  std::string report = {};

  /// How many undelivered messages a connection may hold before its sender
  /// pauses. At least 1.
  std::size_t max_in_flight = 1024;

  /// How long a forced shutdown waits for nodes before it kills them. More than
  /// zero.
  std::chrono::nanoseconds grace_period = std::chrono::seconds{5};

  /// How long a phase of the shutdown's negotiation waits for its answers. More
  /// than zero.
  std::chrono::nanoseconds negotiation_timeout = std::chrono::seconds{10};

  /// By default the application handles the process's signals, as a program of
  /// `exec_main` expects. Where somebody else owns the process (a library, a
  /// plugin, a program with handlers of its own), set this to `none`.
  signal_behavior signals = signal_behavior::handle;

  /// The least severe level that is logged: trace, debug, info, warning,
  /// error, critical or off.
  std::string log_level = "info";

  // -- several processes: see the manual's chapter on distribution ------------

  /// Starts the application over several processes of this machine: "auto", how
  /// many, or their names ("left,right"). This one becomes the coordinator's.
  std::string processes = {};

  /// Where this process can be reached: "ADDRESS:PORT". Required of a
  /// coordinator that waits for processes which others start.
  std::string listen = {};

  /// The names of these processes: "left,right".
  std::string expect = {};

  /// The coordinator to join: "HOST:PORT".
  std::string join = {};

  /// This process's name; by default the coordinator's is "coordinator".
  std::string process = {};

  /// Which node runs in which process, where the program does not say it:
  /// "camera=left, det*=right". In the config file a group as well.
  std::string placement = {};

  /// How long processes may take to find each other, and to be ready.
  std::chrono::nanoseconds join_timeout = std::chrono::seconds{30};

  /// How often processes tell each other that they live.
  std::chrono::nanoseconds heartbeat = std::chrono::seconds{1};

  /// How long another process may be silent before it counts as lost.
  std::chrono::nanoseconds connection_timeout = std::chrono::seconds{5};

  /// Warns of a process whose clock is off the coordinator's by more than this.
  std::chrono::nanoseconds clock_warn = std::chrono::milliseconds{100};

  /// Files in PEM format: this process's certificate, its private key, and the
  /// CA whose certificates are accepted.
  std::string tls_certificate = {};
  std::string tls_key = {};
  std::string tls_ca = {};

  /// Only processes with the same token join each other: itself, or a file that
  /// holds it.
  std::string token = {};
  std::string token_file = {};

  /// Allows connections that are neither authenticated nor encrypted, on the
  /// loopback device only.
  bool insecure = false;

  /// Whether `rosia-drill`, which the environment names (`ROSIA_DRILL`), may
  /// disturb this process: "allow" or "refuse".
  std::string drills = "refuse";
};

/// Checks that the values make sense.
/// @throws std::invalid_argument naming the option, its value, and what would
///         be right.
void validate(const options& x);

/// Reads the group `rosia` of a config. What it does not set keeps its default.
/// Works with any config, also with one that does not declare the options.
/// @note Times may be text, which allows for more than CAF's own notation:
///       `stop_after = 10s`, `stop_after = "1.5s"`, `stop_after = "20ms+3"`
///       (three microsteps on).
/// @throws std::invalid_argument naming the option, its value, and what would
///         be right; or a name that is no option, and the closest that is one.
options options_from(const caf::actor_system_config& cfg);

} // namespace caf::rosia
