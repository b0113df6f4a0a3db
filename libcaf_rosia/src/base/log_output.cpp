// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/log_output.hpp"

#include <spdlog/details/os.h>
#include <spdlog/fmt/fmt.h>
#include <spdlog/sinks/stdout_color_sinks.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

namespace caf::rosia::detail {

namespace {

/// The time that a call waits for a reader.
constexpr std::chrono::seconds reader_patience{1};

constexpr std::string_view no_colour = "\033[m";

/// As in spdlog: trace, debug, info, warning, error, critical, off.
constexpr std::array<std::string_view, 7> colours{
  "\033[37m",        "\033[36m",        "\033[32m", "\033[33m\033[1m",
  "\033[31m\033[1m", "\033[1m\033[41m", no_colour};

/// Returns whether a write may have to wait for a reader.
bool may_block(int fd) {
  struct stat status {};
  return ::isatty(fd) == 1
         || (::fstat(fd, &status) == 0
             && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)));
}

} // namespace

log_output::log_output(int fd, bool in_colour)
  : in_colour_(in_colour), writer_(fd, nullptr) {
  // nop
}

log_output::~log_output() {
  writer_.finish(line_writer::clock::now() + reader_patience);
}

void log_output::sink_it_(const spdlog::details::log_msg& line) {
  if (!writer_.has_room()) {
    ++dropped_;
    return;
  }
  spdlog::memory_buf_t buffer;
  formatter_->format(line, buffer);
  std::string_view text{buffer.data(), buffer.size()};
  std::string result;
  if (auto n = std::exchange(dropped_, 0); n > 0)
    result = fmt::format(
      "{} lines of the log are missing here: nothing read "
      "the earlier lines in time\n",
      n);
  if (auto end = line.color_range_end;
      in_colour_ && end > line.color_range_start)
    result.append(text.substr(0, line.color_range_start))
      .append(colours[static_cast<std::size_t>(line.level)])
      .append(text.substr(line.color_range_start, end - line.color_range_start))
      .append(no_colour)
      .append(text.substr(end));
  else
    result.append(text);
  writer_.write(std::move(result));
  auto now = line_writer::clock::now();
  is_read_ = writer_.finish(is_read_ ? now + reader_patience : now) == 0;
}

std::shared_ptr<spdlog::sinks::sink> make_stderr_sink() {
  namespace os = spdlog::details::os;
  if (may_block(STDERR_FILENO)) {
    try {
      return std::make_shared<log_output>(
        STDERR_FILENO, os::in_terminal(stderr) && os::is_color_terminal());
    } catch (const std::system_error&) {
      // Without a thread, a line must wait for its reader.
    }
  }
  return std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
}

} // namespace caf::rosia::detail
