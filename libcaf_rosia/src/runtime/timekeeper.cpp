// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/timekeeper.hpp"

#include "base/held_signal.hpp"
#include "base/signal_watch.hpp"
#include "caf/rosia/logical_time.hpp"

#include <algorithm>
#include <csignal>
#include <ctime>
#include <utility>

#include <sys/prctl.h>

namespace caf::rosia::detail {

namespace {

/// Lets this thread's waits end when they should, instead of up to 50 us later.
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

// -- constructors, destructors ------------------------------------------------

timekeeper::timekeeper() {
  // nop
}

timekeeper::~timekeeper() {
  // nop
}

// -- time ---------------------------------------------------------------------

void timekeeper::start() {
  std::chrono::nanoseconds now = clock::now().time_since_epoch();
  start(now.count());
}

void timekeeper::start(std::int64_t at) noexcept {
  start_.store(at, std::memory_order_release);
}

std::int64_t timekeeper::coarse_elapsed() const noexcept {
  // Of the same origin as the steady clock.
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
  std::lock_guard guard{mutex_};
  calls_.push_back({ns, ++calls_made_, std::move(fun)});
  if (ns < waiting_for_)
    wake_.notify();
  return calls_made_;
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

// -- waiting ------------------------------------------------------------------

void timekeeper::run(const events& on, signal_behavior signals, bool sighup,
                     int checkpoint) {
  signal_watch watch{signals, wake_.get(), sighup, checkpoint};
  precise_waits precise;
  on.begin();
  if (checkpoint != 0 && held_signal::take(checkpoint))
    on.checkpoint();
  auto count = 0;
  std::vector<std::uint32_t> nodes;
  std::vector<std::function<void()>> calls;
  for (;;) {
    watch.collect([&](int signal) {
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
        // The calls hold whoever made them, who may hold this timekeeper.
        calls_.clear();
        return;
      }
      auto now = elapsed();
      while (!wakes_.empty() && wakes_.top().ns <= now) {
        nodes.push_back(wakes_.top().node);
        wakes_.pop();
      }
      std::erase_if(calls_, [&](auto& x) {
        if (x.ns > now)
          return false;
        calls.push_back(std::move(x.fun));
        return true;
      });
      // Whoever brings something earlier than that notifies.
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

std::int64_t timekeeper::next_time() const {
  auto result = no_time;
  if (!wakes_.empty())
    result = wakes_.top().ns;
  for (auto& x : calls_)
    result = std::min(result, x.ns);
  return result;
}

void timekeeper::wait_until(std::int64_t ns) {
  wake_.wait(std::chrono::nanoseconds{ns == no_time ? ns : ns - elapsed()});
}

} // namespace caf::rosia::detail
