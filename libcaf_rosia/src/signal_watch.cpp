// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/detail/signal_watch.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <unistd.h>

namespace caf::rosia::detail {

namespace {

constexpr std::size_t kinds = signal_watch::kinds;

/// What the signal handler may touch.
struct slot {
  std::atomic<int> fd{-1};
  std::array<std::atomic<int>, kinds> counts{};
};

std::array<slot, signal_watch::max_watches> slots;

/// How many signals are being handled, each on some thread.
std::atomic<int> under_way = 0;

static_assert(std::atomic<int>::is_always_lock_free);

constexpr std::array<int, kinds> watched{SIGINT, SIGTERM, SIGUSR1};

extern "C" void rosia_on_signal(int signal) {
  auto saved = errno;
  under_way.fetch_add(1);
  for (auto& x : slots) {
    auto fd = x.fd.load();
    if (fd < 0)
      continue;
    for (std::size_t i = 0; i < kinds; ++i)
      if (watched[i] == signal)
        x.counts[i].fetch_add(1);
    std::uint64_t one = 1;
    static_cast<void>(!::write(fd, &one, sizeof(one)));
  }
  under_way.fetch_sub(1);
  errno = saved;
}

/// Whose handlers are installed.
enum class owner { process, ignoring, handling };

std::mutex mutex; // protects what follows
std::size_t handling = 0;
std::size_t ignoring = 0;
owner current = owner::process;
std::array<struct sigaction, kinds> previous{};

/// Installs what those who are there want. To handle a signal wins over
/// ignoring it.
void apply() {
  auto wanted
    = handling > 0 ? owner::handling
      : ignoring > 0
        ? owner::ignoring
        : owner::process;
  if (wanted == current)
    return;
  for (std::size_t i = 0; i < kinds; ++i) {
    if (current == owner::process)
      sigaction(watched[i], nullptr, &previous[i]);
    auto action = previous[i];
    // Whoever ignores the others does not ask for reports.
    if (wanted != owner::process
        && (wanted == owner::handling || watched[i] != SIGUSR1)) {
      action = {};
      action.sa_handler = wanted == owner::handling ? rosia_on_signal : SIG_IGN;
      sigemptyset(&action.sa_mask);
      action.sa_flags = SA_RESTART;
    }
    sigaction(watched[i], &action, nullptr);
  }
  current = wanted;
}

} // namespace

const std::array<int, kinds> signal_watch::signals = watched;

signal_watch::signal_watch(signal_behavior what, int fd) : what_(what) {
  std::lock_guard guard{mutex};
  switch (what) {
    case signal_behavior::none:
      return;
    case signal_behavior::ignore:
      ++ignoring;
      break;
    case signal_behavior::handle:
      while (slot_ < slots.size() && slots[slot_].fd.load() >= 0)
        ++slot_;
      if (slot_ == slots.size())
        throw std::runtime_error(
          "too many applications handle signals at once; set their option "
          "signals to none");
      for (auto& x : slots[slot_].counts)
        x.store(0);
      slots[slot_].fd.store(fd);
      ++handling;
      break;
  }
  apply();
}

signal_watch::~signal_watch() {
  std::lock_guard guard{mutex};
  switch (what_) {
    case signal_behavior::none:
      return;
    case signal_behavior::ignore:
      --ignoring;
      break;
    case signal_behavior::handle:
      --handling;
      break;
  }
  apply();
  if (what_ != signal_behavior::handle)
    return;
  slots[slot_].fd.store(-1);
  // A handler on another thread may have the descriptor, which is about to be
  // closed: its number would soon be that of something else.
  while (under_way.load() > 0)
    std::this_thread::yield();
}

std::array<int, kinds> signal_watch::take() {
  std::array<int, kinds> result{};
  if (what_ == signal_behavior::handle)
    for (std::size_t i = 0; i < kinds; ++i)
      result[i] = slots[slot_].counts[i].exchange(0);
  return result;
}

} // namespace caf::rosia::detail
