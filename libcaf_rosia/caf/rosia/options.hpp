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
#include <vector>

namespace caf::rosia {

/// A tag, or none. A duration since the start converts to a tag:
/// `opts.stop_after = 1s`. A duration that is too long becomes the last tag.
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

  // A class that derives from std::optional matches the operator templates in
  // several ways, so it needs better matches.
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

/// The options of a recording: `rosia.record`.
struct record_options {
  /// The run file to record in: the graph, external events with their tags, and
  /// the end. If the file exists, the run is appended. Empty: no recording.
  std::string file = {};

  /// The ports whose values are also recorded: "camera.image, det*.*". Needs
  /// `file`.
  std::string ports = {};
};

/// The options of checkpoints: `rosia.checkpoint`.
struct checkpoint_options {
  /// The file for checkpoints, a database of SQLite. With several processes,
  /// each appends its name: "FILE.left". Empty: no checkpoints are taken.
  std::string file = {};

  /// Takes a checkpoint at each multiple of this logical time. Without a value,
  /// checkpoints are taken only on demand and at a requested end.
  std::optional<time_span> every = std::nullopt;

  /// The number of complete checkpoints that the file keeps. At least 1.
  std::size_t keep = 3;

  /// Takes a checkpoint on this signal, such as "USR2". Empty: no signal.
  std::string signal = {};

  /// The time that the end waits for its checkpoint to be written. More than
  /// zero.
  physical_time_span timeout = std::chrono::seconds{30};

  /// The file that the file of checkpoints is copied to at the end. Empty: no
  /// copy.
  std::string backup = {};
};

/// The checkpoint that a run continues from: `rosia.resume`.
struct resume_options {
  /// The file of checkpoints of an earlier run, which this run continues from
  /// its nodes' states. Empty: the run starts from the beginning. If it is the
  /// file of this run's checkpoints, it need not exist yet.
  std::string file = {};

  /// The tag of the checkpoint to resume from. Without a value: the last
  /// complete one.
  optional_tag at = std::nullopt;
};

/// The options of the live page: `rosia.watch`.
struct watch_options {
  /// The address of the live page, "ADDRESS:PORT". The page shows the graph,
  /// each node and the log in a browser, and has metrics for Prometheus. Port 0
  /// chooses a free port, which is logged. A public address needs
  /// `tls.certificate`, `tls.key` and `token_file`. With several processes the
  /// coordinator serves the page. Empty: no page.
  std::string address = {};

  /// Whether users of the live page may request an end and take a report.
  bool control = false;

  /// The file whose first line is the token of the live page. Without the
  /// token, the page shows nothing. Empty: the page on the loopback device
  /// needs no token.
  std::string token_file = {};
};

/// The options of connections between processes: `rosia.network`. See the
/// manual's chapter on distribution.
struct network_options {
  /// The address of this process: "ADDRESS:PORT". Required for a coordinator
  /// that expects other processes.
  std::string listen = {};

  /// The names of the processes to wait for: "left,right".
  std::string expect = {};

  /// The coordinator to join: "HOST:PORT".
  std::string join = {};

  /// This process's name. The coordinator's default is "coordinator".
  std::string process = {};

  /// The time that processes may take to find each other, and to be ready.
  physical_time_span join_timeout = std::chrono::seconds{30};

  /// The interval of heartbeats between processes.
  physical_time_span heartbeat = std::chrono::seconds{1};

  /// The time that another process may be silent before it counts as lost.
  physical_time_span connection_timeout = std::chrono::seconds{5};

  /// The maximal size of a message of another process, in bytes. A larger
  /// message is not read, and the application is aborted.
  std::size_t max_message = std::size_t{256} * 1024 * 1024;

  /// Logs a warning for a process whose clock differs from the coordinator's by
  /// more than this.
  physical_time_span clock_warn = std::chrono::milliseconds{100};

  /// Only processes with the same token join each other. Set either the token,
  /// or a file that contains it.
  std::string token = {};
  std::string token_file = {};

  /// Allows connections that are neither authenticated nor encrypted. Only on
  /// the loopback device.
  bool insecure = false;
};

/// Files in PEM format: `rosia.tls`.
struct tls_options {
  /// This process's certificate.
  std::string certificate = {};

  /// The private key of that certificate.
  std::string key = {};

  /// The CA whose certificates are accepted.
  std::string ca = {};
};

/// The options of an application. Each member is also an option of the same
/// name in the group `rosia`, on the command line (`--rosia.lag_warn=10ms`,
/// `--rosia.checkpoint.every=10s`) and in CAF's config file, see `config` and
/// `options_from`. So there are as many members as options.
struct options {
  /// Whether a tag waits for its physical time. If not, nodes run as fast as
  /// the semantics allows. On the command line: `--rosia.realtime=false`.
  bool realtime = true;

  /// Logs a warning for a node whose logical time differs from physical time by
  /// more than this. Without a value, the log names, once each, the cause of a
  /// lag of more than a second in real time, and code that does not return for
  /// 5 s.
  std::optional<physical_time_span> lag_warn = std::nullopt;

  /// Logs a warning at the start for reactions that never run because none of
  /// their triggers is connected. `rosia::optional_input` excludes a single
  /// port.
  bool warn_unconnected = true;

  /// Requests an end at this tag before the start. A duration since the start,
  /// such as `1s`, converts to a tag.
  optional_tag stop_after = std::nullopt;

  /// Aborts the application after this much physical time. Zero aborts it at
  /// once.
  std::optional<time_span> timeout = std::nullopt;

  /// The values of parameters of nodes: "filter.gain=2.5", "w[*].gain=3". The
  /// node's name may have * and ?. If several values match a parameter, the
  /// last one counts. {"help"} lists all parameters; `run()` does not run the
  /// application then. See `parameter`. On the command line: `--set=...`, which
  /// adds to the values of the config file, and may be repeated.
  std::vector<std::string> set = {};

  /// The file for a diagram of the graph: SVG, DOT or Mermaid, according to its
  /// extension, see `write_diagram`. If it is set, `run()` writes this file and
  /// does not run the application. Empty: no diagram.
  std::string diagram = {};

  /// The file for the trace. Empty: no trace.
  std::string trace = {};

  record_options record = {};

  /// The run file whose last run is replayed: all external events are read from
  /// there, with their tags. Empty: no replay.
  std::string replay = {};

  /// The file for the report, as JSON, after an abort and on SIGUSR1. Empty:
  /// the report is only logged.
  std::string report = {};

  checkpoint_options checkpoint = {};

  resume_options resume = {};

  watch_options watch = {};

  /// Whether the log's report of an abort lists all nodes that have not left.
  /// If false, and `log_level` is above "debug", it lists only the nodes that
  /// caused the abort. The file `report` always lists all.
  bool verbose_end = false;

  /// The number of undelivered messages that a connection may hold before
  /// back-pressure stops its sender. At least 1.
  std::size_t max_in_flight = 1024;

  /// The groups of nodes. The nodes of a group are executed by one thread at a
  /// time. "auto": neighbours that turn out to be light; "off": no groups;
  /// "all": connected nodes; otherwise a file with one group in each line, as
  /// names with commas between them. "shuffle", for tests, changes the groups
  /// at random.
  std::string groups = "auto";

  /// The time that an abort waits for nodes before it ends the process. More
  /// than zero.
  physical_time_span grace_period = std::chrono::seconds{5};

  /// The time that a phase of the end's negotiation waits for its answers. More
  /// than zero.
  physical_time_span negotiation_timeout = std::chrono::seconds{10};

  /// The time that nodes may take to reach the final tag after a request to end
  /// at once: a signal, `application::request_shutdown`, or the live page. More
  /// than zero.
  physical_time_span end_timeout = std::chrono::minutes{1};

  /// How signals are handled. By default the application handles the process's
  /// signals. Set this to `none` if the program handles them itself, as for a
  /// library or a plugin.
  signal_behavior signals = signal_behavior::handle;

  /// Whether `signals` includes SIGHUP, which is sent when a terminal or an SSH
  /// connection is closed. If false, SIGHUP ends the process at once. A process
  /// that already ignores it, as under nohup, continues to ignore it.
  bool sighup = false;

  /// The least severe level that is logged: trace, debug, info, warning, error,
  /// critical or off.
  std::string log_level = "info";

  // -- several processes: see the manual's chapter on distribution ------------

  /// Runs the application in several processes of this machine: "auto", a
  /// number, or names ("left,right"). This process becomes the coordinator's.
  std::string processes = {};

  /// The processes of nodes that the program does not place: "camera=left,
  /// det*=right". In the config file it may also be a group.
  std::string placement = {};

  network_options network = {};

  tls_options tls = {};

  /// Whether `rosia-drill` may inject faults into this process: "allow" or
  /// "refuse". The environment variable `ROSIA_DRILL` has the path of its
  /// socket.
  std::string drills = "refuse";
};

/// Checks the values.
/// @throws std::invalid_argument that names the option, its value, and the
/// valid values.
void validate(const options& x);

/// Reads the group `rosia` of a config. Missing options keep their defaults.
/// Works with any config, even if it does not declare the options.
/// @note Times may be text, which allows more than CAF's notation: `stop_after
/// = 10s`, `stop_after = "1.5s"`, `stop_after = "20ms+3"` (with three
/// microsteps).
/// @throws std::invalid_argument that names the option, its value, and the
/// valid values; for an unknown name, the closest option.
options options_from(const caf::actor_system_config& cfg);

} // namespace caf::rosia
