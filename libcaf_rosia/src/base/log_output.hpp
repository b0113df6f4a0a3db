// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "base/line_writer.hpp"

#include <spdlog/sinks/base_sink.h>

#include <cstddef>
#include <memory>
#include <mutex>

namespace caf::rosia::detail {

/// Writes a log to a pipe, a socket or a terminal. If there is a reader, a line
/// is written before the call that logs it returns. Without a reader, the call
/// returns after a short time: lines wait, and are dropped and counted if there
/// are too many. Tests: test/base/log_output_test.cpp.
class log_output : public spdlog::sinks::base_sink<std::mutex> {
public:
  /// @param fd stays open.
  /// @param in_colour whether the level of a line is coloured.
  /// @throws std::system_error if no thread can be started.
  log_output(int fd, bool in_colour);

  /// Waits briefly for a reader of the remaining lines.
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

/// Returns a sink for stderr that blocks the caller only for a short time.
std::shared_ptr<spdlog::sinks::sink> make_stderr_sink();

} // namespace caf::rosia::detail
