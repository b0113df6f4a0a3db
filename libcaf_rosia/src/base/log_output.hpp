// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "base/line_writer.hpp"

#include <spdlog/sinks/base_sink.h>

#include <cstddef>
#include <memory>
#include <mutex>

namespace caf::rosia::detail {

/// Writes a log to a pipe, a socket or a terminal. As long as there is a
/// reader, a line is written when the call that logs it returns. Without a
/// reader the call returns after a short time: the lines wait, and are dropped
/// and counted once too many of them wait.
class log_output : public spdlog::sinks::base_sink<std::mutex> {
public:
  /// @param fd stays open.
  /// @param in_colour whether the level of a line has its colour.
  /// @throws std::system_error without threads left.
  log_output(int fd, bool in_colour);

  /// Waits a moment for somebody to read what is left.
  ~log_output() override;

protected:
  void sink_it_(const spdlog::details::log_msg& line) override;

  void flush_() override {
    // nop
  }

private:
  bool in_colour_;
  line_writer writer_;
  bool is_read_ = true;
  std::size_t dropped_ = 0;
};

/// A log's way to stderr, which blocks the caller for a short time at most.
std::shared_ptr<spdlog::sinks::sink> make_stderr_sink();

} // namespace caf::rosia::detail
