// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/joining_signals.hpp"

#include <csignal>
#include <cstdlib>
#include <string>
#include <utility>

namespace caf::rosia::detail {

namespace {

/// Time limit for the coordinator's decision whether the application has
/// started, after this process reported a signal.
constexpr std::chrono::nanoseconds patience_with_word = std::chrono::seconds{1};

} // namespace

joining_signals::joining_signals(
  const options& opts, std::shared_ptr<spdlog::logger> log,
  std::function<void()> on_abort)
  : log_(std::move(log)), on_abort_(std::move(on_abort)) {
  watch_.emplace(opts.signals, wake_.get(), opts.sighup);
  thread_ = std::jthread{[this](const std::stop_token& stop) { run(stop); }};
}

joining_signals::~joining_signals() {
  stop();
}

void joining_signals::report_to(const process_handle& actor) {
  std::lock_guard guard{mutex_};
  actor_ = actor;
}

void joining_signals::check() const {
  if (auto signal = pause_.signal(); signal != 0)
    throw ended_early{"signal " + std::to_string(signal)};
}

void joining_signals::pause(std::chrono::nanoseconds duration) {
  pause_.wait_for(duration);
  check();
}

void joining_signals::stop() {
  if (!thread_.joinable())
    return;
  thread_.request_stop();
  wake_.notify();
  thread_.join();
  watch_.reset();
  actor_ = nullptr;
}

void joining_signals::run(const std::stop_token& stop) {
  using clock = std::chrono::steady_clock;
  unblocked_signals unblocked{*watch_};
  // Signals that arrived before the request to stop are not lost.
  auto first = 0;
  auto count = 0;
  for (auto last = false; !last;) {
    last = stop.stop_requested();
    watch_->collect([&](int signal) {
      if (signal == SIGUSR1)
        return;
      if (++count == 1)
        first = signal;
      handle(signal, count == 1);
    });
    if (last)
      break;
    auto limit
      = first == 0 ? std::chrono::nanoseconds::max() : patience_with_word;
    auto begin = clock::now();
    wake_.wait(limit);
    if (first != 0 && clock::now() - begin >= limit)
      handle_silence(std::exchange(first, 0));
  }
}

void joining_signals::handle(int signal, bool is_first) {
  if (!is_first) {
    log_->warn("signal {} again: the process aborts", signal);
    on_abort_();
    std::_Exit(128);
  }
  pause_.note_signal(signal);
  std::lock_guard guard{mutex_};
  if (actor_)
    process_actor::call(actor_, [signal](process_actor& x) {
      x.end_early(signal);
    });
  else
    log_->info(
      "signal {}: the application will not start; a second signal aborts the "
      "end",
      signal);
}

void joining_signals::handle_silence(int signal) {
  std::lock_guard guard{mutex_};
  if (actor_)
    process_actor::call(actor_, [signal](process_actor& x) {
      x.end_without_word(signal);
    });
}

} // namespace caf::rosia::detail
