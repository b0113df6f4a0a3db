// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_drill/event_loop.hpp"

#include <algorithm>
#include <limits>

#include <poll.h>

namespace rosia_drill {

namespace {

/// Longer waits consist of several.
constexpr std::int64_t longest_wait = 1'000'000'000;

} // namespace

std::int64_t monotonic_now() {
  return std::chrono::nanoseconds{
    std::chrono::steady_clock::now().time_since_epoch()}
    .count();
}

void event_loop::read(int fd, ready_function ready) {
  watched_[fd].read = std::move(ready);
}

void event_loop::write(int fd, ready_function ready) {
  watched_[fd].write = std::move(ready);
}

void event_loop::forget_write(int fd) {
  if (auto i = watched_.find(fd); i != watched_.end())
    i->second.write = nullptr;
}

void event_loop::forget(int fd) {
  watched_.erase(fd);
}

void event_loop::call_at(std::int64_t when, std::function<void()> function) {
  calls_.push_back({when, ++count_, std::move(function)});
}

void event_loop::run(const std::function<bool()>& over) {
  while (!over()) {
    wait();
    run_calls();
  }
}

void event_loop::run_calls() {
  auto now = monotonic_now();
  std::vector<call> due;
  std::erase_if(calls_, [&](auto& x) {
    if (x.when > now)
      return false;
    due.push_back(std::move(x));
    return true;
  });
  std::sort(due.begin(), due.end(), [](auto& x, auto& y) {
    return std::pair{x.when, x.number} < std::pair{y.when, y.number};
  });
  for (auto& x : due)
    x.function();
}

void event_loop::wait() {
  auto until = monotonic_now() + longest_wait;
  for (auto& x : calls_)
    until = std::min(until, x.when);
  std::vector<pollfd> fds;
  for (auto& [fd, x] : watched_) {
    auto events = (x.read ? POLLIN : 0) | (x.write ? POLLOUT : 0);
    if (events != 0)
      fds.push_back({fd, static_cast<short>(events), 0});
  }
  auto ns = std::max<std::int64_t>(until - monotonic_now(), 0);
  timespec limit{static_cast<time_t>(ns / 1'000'000'000),
                 static_cast<long>(ns % 1'000'000'000)};
  if (::ppoll(fds.data(), fds.size(), &limit, nullptr) <= 0)
    return;
  for (auto& x : fds) {
    // A callback may remove other descriptors.
    auto ready = [&](auto member, int events) {
      auto i = watched_.find(x.fd);
      if ((x.revents & events) == 0 || i == watched_.end())
        return;
      if (auto f = i->second.*member)
        f();
    };
    ready(&watched::read, POLLIN | POLLHUP | POLLERR);
    ready(&watched::write, POLLOUT | POLLHUP | POLLERR);
  }
}

} // namespace rosia_drill
