// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <chrono>
#include <csignal>
#include <string>
#include <string_view>

namespace caf::rosia::detail {

/// Ends the process with a last message on stderr. Needs no thread and no
/// memory. Safe in a signal handler.
[[noreturn]] void end_process(int status, std::string_view text) noexcept;

/// Limits the time for the process's last message: its output may have no
/// reader, so it ends with this status soon. Needs no thread and no memory.
void limit_last_words(int status);

/// Returns the last message of a process in which CAF did not stop in time.
std::string late_stop_text(std::chrono::nanoseconds limit, int status);

/// Borrows the process's alarm while the object exists. At most one exists at a
/// time.
class borrowed_alarm {
public:
  borrowed_alarm();

  borrowed_alarm(const borrowed_alarm&) = delete;

  borrowed_alarm& operator=(const borrowed_alarm&) = delete;

  ~borrowed_alarm();

private:
  struct sigaction previous_ = {};
};

/// Limits the time while the object exists: the process continues if the object
/// is destroyed in time.
class last_words_limit : borrowed_alarm {
public:
  explicit last_words_limit(int status) {
    limit_last_words(status);
  }
};

/// Ends the process, with the reason on stderr, unless the object is destroyed
/// in time. Needs no thread: those that must end may hang.
class end_limit : borrowed_alarm {
public:
  end_limit(int status, std::chrono::nanoseconds limit, std::string reason);

private:
  std::string reason_;
};

} // namespace caf::rosia::detail
