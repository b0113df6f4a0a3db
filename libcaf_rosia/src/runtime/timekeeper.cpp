// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/timekeeper.hpp"

#include "base/held_signal.hpp"
#include "caf/rosia/logical_time.hpp"

#include <algorithm>
#include <csignal>
#include <ctime>
#include <utility>

#include <sys/prctl.h>

namespace caf::rosia::detail {

namespace {

/// In nanoseconds: if a deadline is noticed this late, the process was
/// suspended, or had no processor.
constexpr std::int64_t late_by = 100'000'000;

/// Minimum extension of such a deadline, in nanoseconds.
constexpr std::int64_t least_extension = 1'000'000'000;

/// Lets this thread's waits end on time, instead of up to 50 us later.
class precise_waits {
public:
  precise_waits() : previous_(prctl(PR_GET_TIMERSLACK)) {
    prctl(PR_SET_TIMERSLACK, 1UL);
  }

  precise_waits(const precise_waits&) = delete;

  precise_waits& operator=(const precise_waits&) = delete;

  ~precise_waits() {
    if (previous_ > 0)
      prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(previous_));
  }

private:
  int previous_;
};

} // namespace

constinit simulated_time* timekeeper::for_tests = nullptr;

// -- constructors, destructors ------------------------------------------------

timekeeper::timekeeper() {
  // nop
}

timekeeper::~timekeeper() {
  // nop
}

// -- time ---------------------------------------------------------------------

void timekeeper::start() {
  start(read_clock().count());
}

void timekeeper::start(std::int64_t at) noexcept {
  start_.store(at, std::memory_order_release);
}

std::int64_t timekeeper::coarse_elapsed() const noexcept {
  if (for_tests != nullptr)
    return elapsed();
  // This clock has the same origin as the steady clock.
  timespec now{};
  if (clock_gettime(CLOCK_MONOTONIC_COARSE, &now) != 0)
    return elapsed();
  return since_start(
    std::chrono::seconds{now.tv_sec} + std::chrono::nanoseconds{now.tv_nsec});
}

std::int64_t timekeeper::elapsed_in(
  std::chrono::nanoseconds duration) const noexcept {
  return saturating_add(logical_time{elapsed(), 0}, delay{duration}).ns;
}

// -- requests -----------------------------------------------------------------

void timekeeper::wake_at(std::uint32_t node, std::int64_t ns) {
  std::lock_guard guard{mutex_};
  wakes_.push({ns, node});
  if (ns < waiting_for_)
    wake_.notify();
}

std::uint64_t timekeeper::call_at(std::int64_t ns, std::function<void()> fun) {
  return add_call(ns, std::move(fun), false);
}

std::uint64_t timekeeper::deadline_at(
  std::int64_t ns, std::function<void()> fun) {
  return add_call(ns, std::move(fun), true);
}

void timekeeper::cancel(std::uint64_t call) {
  std::lock_guard guard{mutex_};
  std::erase_if(calls_, [call](auto& x) { return x.number == call; });
}

void timekeeper::finish() {
  std::lock_guard guard{mutex_};
  finished_ = true;
  wake_.notify();
}

std::uint64_t timekeeper::add_call(
  std::int64_t ns, std::function<void()> fun, bool is_deadline) {
  std::lock_guard guard{mutex_};
  calls_.push_back({ns, ++calls_made_, std::move(fun), is_deadline});
  if (ns < waiting_for_)
    wake_.notify();
  return calls_made_;
}

bool timekeeper::call_request::postpone(std::int64_t now) {
  if (!may_wait || now - ns < late_by)
    return false;
  may_wait = false;
  ns = now + std::max(now - ns, least_extension);
  return true;
}

// -- waiting ------------------------------------------------------------------

void timekeeper::run(const events& on, signal_watch& signals, int checkpoint) {
  precise_waits precise;
  on.begin();
  if (checkpoint != 0 && held_signal::take(checkpoint))
    on.checkpoint();
  auto count = 0;
  std::vector<std::uint32_t> nodes;
  std::vector<std::function<void()>> calls;
  for (;;) {
    signals.collect([&](int signal) {
      if (signal == SIGUSR1)
        on.report();
      else if (signal == checkpoint)
        on.checkpoint();
      else
        on.signal(signal, ++count);
    });
    auto next = no_time;
    {
      std::lock_guard guard{mutex_};
      if (finished_) {
        // The calls keep their owners alive, which may keep this timekeeper
        // alive.
        calls_.clear();
        return;
      }
      auto now = elapsed();
      while (!wakes_.empty() && wakes_.top().ns <= now) {
        nodes.push_back(wakes_.top().node);
        wakes_.pop();
      }
      std::erase_if(calls_, [&](auto& x) {
        if (x.ns > now || x.postpone(now))
          return false;
        calls.push_back(std::move(x.fun));
        return true;
      });
      // A request for an earlier time notifies this thread.
      next = waiting_for_ = nodes.empty() && calls.empty() ? next_time() : 0;
    }
    for (auto node : nodes)
      on.wake(node);
    for (auto& call : calls)
      call();
    if (nodes.empty() && calls.empty())
      wait_until(next);
    nodes.clear();
    calls.clear();
  }
}

void timekeeper::serve_signals(
  const std::stop_token& token, signal_watch& signals,
  const std::function<void(int signal)>& on_signal) {
  std::stop_callback wake{token, [this] { wake_.notify(); }};
  while (!token.stop_requested()) {
    signals.collect(on_signal);
    wait_until(no_time);
  }
}

std::int64_t timekeeper::next_time() const {
  auto result = no_time;
  if (!wakes_.empty())
    result = wakes_.top().ns;
  for (auto& x : calls_)
    result = std::min(result, x.ns);
  return result;
}

void timekeeper::wait_until(std::int64_t ns) {
  std::chrono::nanoseconds limit{ns == no_time ? ns : ns - elapsed()};
  if (for_tests != nullptr)
    for_tests->wait(wake_, limit);
  else
    wake_.wait(limit);
}

} // namespace caf::rosia::detail
