// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spdlog/fwd.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace caf::rosia::detail {

/// Reads a level's name: trace, debug, info, warning (or warn), error (or err),
/// critical, off.
std::optional<spdlog::level::level_enum> parse_log_level(std::string_view name);

/// Makes the loggers of an application's nodes, which share one set of sinks.
/// Each line has the time, the level, and the name of its node. Logs to stderr,
/// in colour on a terminal, unless it is given other sinks.
///
/// The loggers are not in spdlog's global registry: it would keep them alive
/// and let two applications in one process collide. A logger stays usable after
/// its context is gone.
///
/// All member functions may be called from any thread.
///
/// @note CAF's own log lines do not come here. CAF writes them only if it was
///       itself compiled with a log level, which distributions leave off.
class log_context {
public:
  // -- member types -----------------------------------------------------------

  using sink_ptr = std::shared_ptr<spdlog::sinks::sink>;

  using logger_ptr = std::shared_ptr<spdlog::logger>;

  // -- constructors, destructors, and assignment operators --------------------

  /// Logs to stderr what is at least as severe as `level`.
  /// @throws std::invalid_argument if there is no such level.
  explicit log_context(const std::string& level);

  /// Logs to `sinks` only, see `add_sink`.
  /// @throws std::invalid_argument if there is no such level.
  log_context(const std::string& level, std::vector<sink_ptr> sinks);

  // -- loggers and sinks ------------------------------------------------------

  /// Returns a new logger with this name. Errors are flushed at once.
  logger_ptr make(std::string name) const;

  /// Adds a sink, also to the loggers that already exist, and sets its pattern.
  /// One log line at a time reaches the sinks, so that a sink which is used by
  /// this context alone need not be thread-safe.
  void add_sink(sink_ptr sink);

  /// Flushes all sinks.
  void flush() const;

private:
  class sink_set;

  std::shared_ptr<sink_set> sinks_;
  spdlog::level::level_enum level_;
};

} // namespace caf::rosia::detail
