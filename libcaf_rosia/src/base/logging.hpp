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
/// Each line has the time, the level, and the name of its node. By default logs
/// to stderr, in colour on a terminal.
///
/// The loggers are not in spdlog's global registry: it would keep them alive,
/// and two applications in one process would collide. A logger may outlive its
/// context.
///
/// Any thread may call all members.
///
/// Tests: test/base/logging_test.cpp.
/// @note CAF's log lines do not appear here. CAF only writes them if it was
/// compiled with a log level, which distributions leave off.
class log_context {
public:
  // -- member types -----------------------------------------------------------

  using sink_ptr = std::shared_ptr<spdlog::sinks::sink>;

  using logger_ptr = std::shared_ptr<spdlog::logger>;

  // -- constructors, destructors, and assignment operators --------------------

  /// Logs lines of this level or more severe ones to stderr.
  /// @throws std::invalid_argument for an unknown level.
  explicit log_context(const std::string& level);

  /// Logs to `sinks` only, see `add_sink`.
  /// @throws std::invalid_argument for an unknown level.
  log_context(const std::string& level, std::vector<sink_ptr> sinks);

  // -- loggers and sinks ------------------------------------------------------

  /// Returns a new logger with this name. Errors are flushed at once.
  logger_ptr make(std::string name) const;

  /// Adds a sink, even to existing loggers, and sets its pattern. The sinks
  /// receive one line at a time, so a sink that only this context uses need not
  /// be thread-safe.
  void add_sink(sink_ptr sink);

  /// Flushes all sinks.
  void flush() const;

private:
  class sink_set;

  std::shared_ptr<sink_set> sinks_;
  spdlog::level::level_enum level_;
};

} // namespace caf::rosia::detail
