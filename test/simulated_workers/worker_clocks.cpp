// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "simulated_workers/worker_clocks.hpp"

#include <algorithm>

#include <poll.h>

namespace simulated_workers {

namespace {

constexpr auto no_worker = std::numeric_limits<std::size_t>::max();

/// The number of the worker on this thread.
thread_local std::size_t number_on_thread = no_worker;

} // namespace

worker_clocks::worker_clocks(std::size_t workers) : workers_(workers) {
  // nop
}

// -- for a worker, with the turn ----------------------------------------------

void worker_clocks::begin(std::size_t number) {
  number_on_thread = number;
  own()->own_turn.wait_for();
}

void worker_clocks::work(nanoseconds duration) {
  own()->clock += duration;
  pass_if(false);
}

void worker_clocks::charge(nanoseconds duration) noexcept {
  auto* x = own();
  if (x == nullptr)
    return;
  x->clock += duration;
  overhead_ += duration;
}

void worker_clocks::pass() {
  pass_if(is_notified());
}

void worker_clocks::sleep() {
  leave();
  own()->own_turn.wait_for();
}

void worker_clocks::leave() {
  std::unique_lock guard{mutex_};
  auto& following = next(false);
  guard.unlock();
  following.give();
}

// -- for any thread -----------------------------------------------------------

void worker_clocks::wake(std::size_t number, nanoseconds latency) {
  std::lock_guard guard{mutex_};
  auto& x = workers_[number];
  auto time = std::max(x.clock.load(), now() + latency);
  x.clock = time;
  overhead_ += latency;
  awake_.push({time, number});
  if (own() == nullptr)
    woken_.notify();
}

void worker_clocks::run_all() {
  std::unique_lock guard{mutex_};
  deadline_ = forever;
  while (!awake_.empty()) {
    auto& following = next(false);
    guard.unlock();
    following.give();
    turn_.wait_for();
    guard.lock();
  }
}

// -- overridden functions of simulated_time -----------------------------------

worker_clocks::nanoseconds worker_clocks::now() noexcept {
  auto* x = own();
  return x != nullptr ? x->clock : clock_;
}

caf::rosia::detail::thread_usage worker_clocks::usage() noexcept {
  return {now(), 0};
}

void worker_clocks::wait(const caf::rosia::detail::event_descriptor& notified,
                         std::chrono::nanoseconds limit) {
  std::unique_lock guard{mutex_};
  notified_ = notified.get();
  deadline_
    = limit == limit.max()
        ? forever
        : clock_ + std::max<nanoseconds>(limit.count(), 0);
  while (!is_notified()) {
    if (!awake_.empty() && awake_.top().first < deadline_) {
      auto& following = next(false);
      guard.unlock();
      following.give();
      turn_.wait_for();
    } else if (deadline_ != forever) {
      clock_ = deadline_;
      break;
    } else {
      guard.unlock();
      wait_for_other_threads();
    }
    guard.lock();
  }
  notified_ = -1;
  // Takes the notification back, if there is one.
  notified.wait(std::chrono::nanoseconds{0});
}

// -- implementation -----------------------------------------------------------

worker_clocks::worker* worker_clocks::own() noexcept {
  return number_on_thread == no_worker ? nullptr : &workers_[number_on_thread];
}

void worker_clocks::pass_if(bool notified) {
  auto& x = *own();
  std::unique_lock guard{mutex_};
  entry mine{x.clock, number_on_thread};
  if (!notified && mine.first < deadline_
      && (awake_.empty() || mine < awake_.top()))
    return;
  awake_.push(mine);
  auto& following = next(notified);
  guard.unlock();
  following.give();
  x.own_turn.wait_for();
}

worker_clocks::turn& worker_clocks::next(bool notified) {
  if (notified || awake_.empty() || awake_.top().first >= deadline_) {
    clock_ = std::max(clock_.load(), std::min(now(), deadline_));
    return turn_;
  }
  auto& result = workers_[awake_.top().second].own_turn;
  awake_.pop();
  return result;
}

bool worker_clocks::is_notified() const noexcept {
  pollfd fd{notified_, POLLIN, 0};
  return ::poll(&fd, 1, 0) > 0;
}

void worker_clocks::wait_for_other_threads() {
  pollfd fds[]{{notified_, POLLIN, 0}, {woken_.get(), POLLIN, 0}};
  ::poll(fds, 2, -1);
  if (fds[1].revents != 0)
    woken_.wait(std::chrono::nanoseconds{0});
}

} // namespace simulated_workers
