// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/has_text.hpp"
#include "caf/rosia/logical_time.hpp"
#include "caf/rosia/signal_behavior.hpp"
#include "caf/rosia/time_span.hpp"

#include <caf/fwd.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace caf::rosia {

/// A tag, or none. A duration stands for the tag so long after the start:
/// `opts.stop_after = 1s`. One that does not fit stands for the last tag.
class optional_tag : public std::optional<logical_time> {
public:
  using super = std::optional<logical_time>;

  using super::super;

  constexpr optional_tag(const super& x) noexcept : super(x) {
    // nop
  }

  template <class Rep, class Period>
  constexpr optional_tag(std::chrono::duration<Rep, Period> since_start)
    : super(logical_time{
      std::min(detail::saturated(since_start).count(), forever.ns - 1), 0}) {
    // nop
  }

  // A class that derives from std::optional fits its templates in several ways,
  // so it needs operators that fit better.
  friend constexpr bool operator==(
    const optional_tag&, const optional_tag&) noexcept = default;

  friend constexpr bool operator==(
    const optional_tag& x, const super& y) noexcept {
    return static_cast<const super&>(x) == y;
  }

  friend constexpr bool operator==(
    const optional_tag& x, const logical_time& y) noexcept {
    return x.has_value() && *x == y;
  }

  friend constexpr bool operator==(
    const optional_tag& x, std::nullopt_t) noexcept {
    return !x.has_value();
  }
};

/// How an application runs. Each member is also an option of the same name in
/// the group `rosia`, on the command line (`--rosia.lag_warn=10ms`) and in
/// CAF's config file, see `config` and `options_from`; so there are as many
/// members as options.
struct options {
  /// Whether a tag waits for its physical time. If not, nodes run as fast as
  /// the semantics allows. On the command line: `--rosia.realtime=false`.
  bool realtime = true;

  /// Warns of a node whose logical time differs from physical time by more than
  /// this. Without a value, the log names once each culprit of a lag of more
  /// than a second in real time, and of code that does not return for 5 s.
  std::optional<physical_time_span> lag_warn = std::nullopt;

  /// Warns at the start of reactions that never run, because none of their
  /// triggers is connected. `rosia::optional` excludes a single port.
  bool warn_unconnected = true;

  /// Requests a shutdown for this tag before the start. May be a duration since
  /// the start, such as `1s`.
  optional_tag stop_after = std::nullopt;

  /// Aborts the application after this much physical time; zero does so at
  /// once.
  std::optional<time_span> timeout = std::nullopt;

  /// The file of a diagram of the graph: SVG, DOT or Mermaid, as its name ends
  /// with, see `write_diagram`. If it is set, `run()` writes this file, and
  /// does not run the application. Empty: no diagram.
  std::string diagram = {};

  /// The file of the trace. Empty: no trace.
  std::string trace = {};

  /// The run file to record in: the graph, what comes from outside with its
  /// tags, and the end. If the file exists, the run is added to it. Empty: no
  /// recording.
  std::string record = {};

  /// The ports whose values are recorded, too: "camera.image, det*.*". Needs
  /// `record`.
  std::string record_ports = {};

  /// The run file whose last run is repeated: what comes from outside comes
  /// from there, at the tags it had, and from nowhere else. Empty: no replay.
  std::string replay = {};

  /// The file of the report, as JSON, after an abort and on SIGUSR1. Empty: the
  /// report is only in the log.
  std::string report = {};

  /// The file of checkpoints, a database of SQLite. Empty: no checkpoints are
  /// taken. Of several processes, each adds its name: "FILE.left".
  std::string checkpoint = {};

  /// A checkpoint is taken at the multiples of this logical time. Without a
  /// value: only on demand, and where a requested end is.
  std::optional<time_span> checkpoint_every = std::nullopt;

  /// How many complete checkpoints the file keeps. At least 1.
  std::size_t checkpoint_keep = 3;

  /// Takes a checkpoint when this signal comes, such as "USR2". Empty: on none.
  std::string checkpoint_signal = {};

  /// How long the end waits for its checkpoint to be written. More than zero.
  physical_time_span checkpoint_timeout = std::chrono::seconds{30};

  /// The file that the file of checkpoints is copied to at the end. Empty: it
  /// is not copied.
  std::string backup = {};

  /// The file of checkpoints of an earlier run, which this one continues: its
  /// nodes begin with what they had then. Empty: the run begins anew. If it is
  /// the file `checkpoint`, it need not exist yet.
  std::string resume = {};

  /// The tag of the checkpoint to continue from. Without a value: the last one
  /// that is complete.
  optional_tag resume_at = std::nullopt;

  /// The address of the live page, "ADDRESS:PORT", which shows the graph, each
  /// node and the log in a browser, and has metrics for Prometheus. Port 0
  /// stands for any; the log says which. An address that others can reach
  /// needs `tls_certificate`, `tls_key` and `watch_token_file`. Over several
  /// processes the coordinator serves the page. Empty: no page.
  std::string watch = {};

  /// Whether the live page may request an end, and take a report.
  bool watch_control = false;

  /// The file of a token, its first line, without which the live page shows
  /// nothing. Empty: on the loopback device, nobody is asked for a token.
  std::string watch_token_file = {};

  /// Whether the log's report of an abort has all nodes that are left. If
  /// false, and `log_level` is above "debug", it has only the nodes that caused
  /// the abort. The file `report` always has all.
  bool verbose_end = false;

  /// How many undelivered messages a connection may hold before back-pressure
  /// holds its sender. At least 1.
  std::size_t max_in_flight = 1024;

  /// Which nodes of a process are executed as one, by one thread at a time:
  /// "auto", neighbours that turn out to be light; "off", each node on its own;
  /// "all", those that are connected; or those that a file of this name lists,
  /// each group in a line, names with commas between them. "shuffle", for
  /// tests, changes the groups at random.
  std::string groups = "auto";

  /// How long an abort waits for nodes before it ends the process. More than
  /// zero.
  physical_time_span grace_period = std::chrono::seconds{5};

  /// How long a phase of the end's negotiation waits for its answers. More than
  /// zero.
  physical_time_span negotiation_timeout = std::chrono::seconds{10};

  /// How long nodes may take to reach the final tag after a request to end at
  /// once: a signal, `application::request_shutdown`, or the live page. More
  /// than zero.
  physical_time_span end_timeout = std::chrono::minutes{1};

  /// By default the application handles the process's signals, as a program of
  /// `exec_main` expects. If the program handles them itself, as in a library
  /// or a plugin, set this to `none`.
  signal_behavior signals = signal_behavior::handle;

  /// Whether `signals` applies to SIGHUP, too, which comes when a terminal or a
  /// connection by SSH is closed. If false, SIGHUP ends the process at once. A
  /// process that already ignores it, as under nohup, continues to ignore it.
  bool sighup = false;

  /// The least severe level that is logged: trace, debug, info, warning,
  /// error, critical or off.
  std::string log_level = "info";

  // -- several processes: see the manual's chapter on distribution ------------

  /// Starts the application over several processes of this machine: "auto", a
  /// number, or names ("left,right"). This process becomes the coordinator's.
  std::string processes = {};

  /// The address of this process: "ADDRESS:PORT". Required of a coordinator
  /// that expects other processes.
  std::string listen = {};

  /// The names of these processes: "left,right".
  std::string expect = {};

  /// The coordinator to join: "HOST:PORT".
  std::string join = {};

  /// This process's name; by default the coordinator's is "coordinator".
  std::string process = {};

  /// The process of each node that the program does not place: "camera=left,
  /// det*=right". In the config file it may also be a group.
  std::string placement = {};

  /// How long processes may take to find each other, and to be ready.
  physical_time_span join_timeout = std::chrono::seconds{30};

  /// How often processes exchange heartbeats.
  physical_time_span heartbeat = std::chrono::seconds{1};

  /// How long another process may be silent before it counts as lost.
  physical_time_span connection_timeout = std::chrono::seconds{5};

  /// The most bytes that one message of another process may have. A larger
  /// message is not read, and the application is aborted.
  std::size_t max_message = std::size_t{256} * 1024 * 1024;

  /// Warns of a process whose clock differs from the coordinator's by more than
  /// this.
  physical_time_span clock_warn = std::chrono::milliseconds{100};

  /// Files in PEM format: this process's certificate, its private key, and the
  /// CA whose certificates are accepted.
  std::string tls_certificate = {};
  std::string tls_key = {};
  std::string tls_ca = {};

  /// Only processes with the same token join each other. Either the token, or a
  /// file that holds it.
  std::string token = {};
  std::string token_file = {};

  /// Allows connections that are neither authenticated nor encrypted, on the
  /// loopback device only.
  bool insecure = false;

  /// Whether `rosia-drill` may disturb this process: "allow" or "refuse". The
  /// environment (`ROSIA_DRILL`) names its socket.
  std::string drills = "refuse";
};

/// Checks the values.
/// @throws std::invalid_argument naming the option, its value, and the valid
///         values.
void validate(const options& x);

/// Reads the group `rosia` of a config. Missing options keep their defaults.
/// Works with any config, also with one that does not declare the options.
/// @note Times may be text, which allows for more than CAF's own notation:
///       `stop_after = 10s`, `stop_after = "1.5s"`, `stop_after = "20ms+3"`
///       (with three microsteps).
/// @throws std::invalid_argument naming the option, its value, and the valid
///         values; for an unknown name, the closest option.
options options_from(const caf::actor_system_config& cfg);

} // namespace caf::rosia
