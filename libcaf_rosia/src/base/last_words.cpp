// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/last_words.hpp"

#include "base/duration.hpp"
#include "base/signal_mask.hpp"
#include "base/write_all.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <limits>
#include <utility>

#include <spdlog/fmt/fmt.h>
#include <unistd.h>

namespace caf::rosia::detail {

namespace {

using clock = std::chrono::steady_clock;

/// The time limit for the last message of an aborted process.
constexpr std::chrono::seconds time_for_last_words{5};

// The data of the `end_limit`, for its signal handler.
std::atomic<int> late_status;
std::atomic<const std::string*> late_reason;
std::atomic<clock::rep> late_at;

void set_alarm(std::chrono::seconds limit, void (*handler)(int)) {
  std::signal(SIGALRM, handler);
  unblock_signal(SIGALRM);
  ::alarm(static_cast<unsigned>(
    std::min<std::int64_t>(limit.count(), std::numeric_limits<int>::max())));
}

extern "C" void rosia_on_late_end(int) {
  // Another process may have sent the signal.
  if (clock::now().time_since_epoch().count() < late_at)
    return;
  end_process(late_status, *late_reason);
}

} // namespace

void end_process(int status, std::string_view text) noexcept {
  limit_last_words(status);
  write_all(STDERR_FILENO, text);
  ::_exit(status);
}

void limit_last_words(int status) {
  static std::atomic<int> last_status;
  last_status = status;
  set_alarm(time_for_last_words, [](int) { ::_exit(last_status); });
}

std::string late_stop_text(std::chrono::nanoseconds limit, int status) {
  return fmt::format(
    "CAF did not stop within grace_period ({}), although all actors "
    "ended; has the program closed descriptors that it had not opened? The "
    "process ends with status {}\n",
    time_text(limit), status);
}

// -- borrowed_alarm -----------------------------------------------------------

borrowed_alarm::borrowed_alarm() {
  sigaction(SIGALRM, nullptr, &previous_);
}

borrowed_alarm::~borrowed_alarm() {
  ::alarm(0);
  sigaction(SIGALRM, &previous_, nullptr);
}

// -- end_limit ----------------------------------------------------------------

end_limit::end_limit(int status, std::chrono::nanoseconds limit,
                     std::string reason)
  : reason_(std::move(reason)) {
  late_status = status;
  late_reason = &reason_;
  late_at = add_saturated(clock::now(), limit).time_since_epoch().count();
  set_alarm(std::chrono::ceil<std::chrono::seconds>(limit), rosia_on_late_end);
}

} // namespace caf::rosia::detail
