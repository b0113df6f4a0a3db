// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/signal_watch.hpp"

#include "caf/rosia/detail/event_descriptor.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace caf::rosia::detail {

namespace {

constexpr std::size_t kinds = signal_watch::kinds;

constexpr std::int64_t in_ns(std::chrono::nanoseconds time) noexcept {
  return time.count();
}

/// The data that the signal handler may use.
struct slot {
  std::atomic<int> fd{-1};
  std::atomic<std::uint32_t> wanted{0}; // a bit for each kind
  std::array<std::atomic<int>, kinds> counts{};
  std::atomic<std::int64_t> requested_at{0}; // by the steady clock; 0: never

  /// Records a request for the end.
  /// @returns whether it repeats the first one.
  bool repeats_request(std::int64_t now) noexcept {
    std::int64_t first = 0;
    return !requested_at.compare_exchange_strong(first, now)
           && now - first < in_ns(signal_watch::for_tests.same_request_time);
  }
};

std::array<slot, signal_watch::max_watches> slots;

/// The number of running signal handlers, on all threads.
std::atomic<int> under_way = 0;

/// Whether a signal requested the end.
std::atomic<bool> told_to_end = false;

/// The time at which signals have their default effect again, by the steady
/// clock.
std::atomic<std::int64_t> quiet_until = 0;

static_assert(std::atomic<int>::is_always_lock_free);
static_assert(std::atomic<bool>::is_always_lock_free);
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

constexpr std::array<int, kinds> watched{
  SIGINT,  SIGTERM, SIGHUP,   SIGUSR1, SIGUSR2,
  SIGQUIT, SIGALRM, SIGWINCH, SIGPIPE, SIGXFSZ};

/// Returns whether the signal requests the end if it is handled.
constexpr bool asks_for_end(int signal) noexcept {
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP;
}

/// Returns whether the system sends the signal to a thread whose write fails.
constexpr bool is_write_error(int signal) noexcept {
  return signal == SIGPIPE || signal == SIGXFSZ;
}

constexpr std::uint32_t bit_of(std::size_t kind) noexcept {
  return std::uint32_t{1} << kind;
}

/// Returns the steady clock's time. Safe in a signal handler.
std::int64_t now_ns() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return in_ns(
    std::chrono::seconds{now.tv_sec} + std::chrono::nanoseconds{now.tv_nsec});
}

extern "C" void rosia_on_signal(int signal) {
  auto saved = errno;
  under_way.fetch_add(1);
  if (asks_for_end(signal))
    told_to_end = true;
  std::size_t kind = 0;
  while (watched[kind] != signal)
    ++kind;
  auto now = now_ns();
  for (auto& x : slots) {
    auto fd = x.fd.load();
    if (fd < 0 || (x.wanted.load() & bit_of(kind)) == 0)
      continue;
    if (asks_for_end(signal) && x.repeats_request(now))
      continue;
    x.counts[kind].fetch_add(1);
    event_descriptor::notify(fd);
  }
  under_way.fetch_sub(1);
  errno = saved;
}

/// Does nothing: the write fails with an error. `SIG_IGN` would be inherited by
/// programs that the process starts.
extern "C" void rosia_on_write_error(int) {
  // nop
}

/// Ignores signals of a process that is about to end on request. `SIG_IGN`
/// would be inherited by programs that it starts, and be permanent.
extern "C" void rosia_on_late_signal(int signal) {
  auto saved = errno;
  if (asks_for_end(signal))
    told_to_end = true;
  if (now_ns() > quiet_until.load()) {
    ::signal(signal, SIG_DFL);
    ::raise(signal); // delivered when this function returns
  }
  errno = saved;
}

/// The owner of the installed handler.
enum class owner { process, ignoring, handling };

struct kind_of_signal {
  std::size_t handling = 0; // the number of watches that handle it
  std::size_t ignoring = 0;
  owner current = owner::process;
  struct sigaction previous = {}; // the process's handler
};

std::mutex mutex; // protects the variables below
std::array<kind_of_signal, kinds> states;

struct sigaction make_action(void (*handler)(int)) {
  struct sigaction result = {};
  result.sa_handler = handler;
  sigemptyset(&result.sa_mask);
  result.sa_flags = SA_RESTART;
  return result;
}

bool has_handler(const struct sigaction& x, void (*handler)(int)) {
  return (x.sa_flags & SA_SIGINFO) == 0 && x.sa_handler == handler;
}

struct sigaction make_action(
  const kind_of_signal& x, int signal, owner wanted) {
  if (signal == SIGHUP && has_handler(x.previous, SIG_IGN))
    return x.previous; // nohup
  auto is_default = has_handler(x.previous, SIG_DFL);
  if (is_write_error(signal) && wanted != owner::process)
    return is_default ? make_action(rosia_on_write_error) : x.previous;
  if (wanted == owner::handling)
    return make_action(rosia_on_signal);
  if (wanted == owner::ignoring)
    return make_action(SIG_IGN);
  if (x.current == owner::handling && is_default
      && (asks_for_end(signal) || is_write_error(signal)))
    return make_action(rosia_on_late_signal); // for a limited time
  return x.previous;
}

/// Installs the handler that the existing watches need. Handling a signal takes
/// precedence over ignoring it.
void apply(std::size_t kind) {
  auto& x = states[kind];
  auto signal = watched[kind];
  auto wanted
    = x.handling > 0 ? owner::handling
      : x.ignoring > 0
        ? owner::ignoring
        : owner::process;
  if (wanted == x.current)
    return;
  if (x.current == owner::process) {
    sigaction(signal, nullptr, &x.previous);
    if (has_handler(x.previous, rosia_on_late_signal))
      x.previous = make_action(SIG_DFL);
  }
  auto action = make_action(x, signal, wanted);
  sigaction(signal, &action, nullptr);
  x.current = wanted;
}

/// Restores the default effect of signals, because no signal requested the end.
void end_quiet_time() {
  for (std::size_t i = 0; i < kinds; ++i) {
    struct sigaction now = {};
    sigaction(watched[i], nullptr, &now);
    if (has_handler(now, rosia_on_late_signal))
      ::signal(watched[i], SIG_DFL);
  }
}

} // namespace

// -- signal_watch -------------------------------------------------------------

const std::array<int, kinds> signal_watch::signals = watched;

constinit signal_watch::test_settings signal_watch::for_tests{};

signal_watch::signal_watch(
  signal_behavior behavior, int fd, bool sighup, int extra)
  : behavior_(behavior), sighup_(sighup), extra_(extra) {
  std::lock_guard guard{mutex};
  if (behavior == signal_behavior::handle) {
    while (slot_ < slots.size() && slots[slot_].fd.load() >= 0)
      ++slot_;
    if (slot_ == slots.size())
      throw std::runtime_error(
        "too many applications handle signals at once; set their option "
        "signals to none");
    if (states[0].handling == 0) // SIGINT: all watches that handle signals
                                 // handle it
      told_to_end = false;
    for (auto& x : slots[slot_].counts)
      x.store(0);
    slots[slot_].requested_at.store(0);
    std::uint32_t wanted = 0;
    for (std::size_t i = 0; i < kinds; ++i)
      if (concerns(i) && !is_write_error(watched[i]))
        wanted |= bit_of(i);
    slots[slot_].wanted.store(wanted);
    slots[slot_].fd.store(fd);
  }
  for (std::size_t i = 0; i < kinds; ++i)
    if (concerns(i)) {
      ++(behavior == signal_behavior::handle
           ? states[i].handling
           : states[i].ignoring);
      apply(i);
    }
}

signal_watch::~signal_watch() {
  std::lock_guard guard{mutex};
  if (behavior_ == signal_behavior::handle)
    quiet_until = now_ns() + in_ns(quiet_time);
  for (std::size_t i = 0; i < kinds; ++i)
    if (concerns(i)) {
      --(behavior_ == signal_behavior::handle
           ? states[i].handling
           : states[i].ignoring);
      apply(i);
    }
  if (behavior_ != signal_behavior::handle)
    return;
  slots[slot_].fd.store(-1);
  // The descriptor is about to be closed, and its number may be reused, but a
  // handler on another thread may still use it.
  while (under_way.load() > 0)
    std::this_thread::yield();
  if (!told_to_end)
    end_quiet_time();
}

bool signal_watch::concerns(std::size_t kind) const noexcept {
  switch (watched[kind]) {
    case SIGHUP:
      return behavior_ != signal_behavior::none && sighup_;
    case SIGUSR1:
      // A watch that ignores signals does not want reports.
      return behavior_ == signal_behavior::handle;
    case SIGINT:
    case SIGTERM:
    case SIGPIPE:
    case SIGXFSZ:
      return behavior_ != signal_behavior::none;
    default:
      return behavior_ == signal_behavior::handle && watched[kind] == extra_;
  }
}

std::array<int, kinds> signal_watch::take() {
  std::array<int, kinds> result{};
  if (behavior_ == signal_behavior::handle)
    for (std::size_t i = 0; i < kinds; ++i)
      result[i] = slots[slot_].counts[i].exchange(0);
  return result;
}

// -- unblocked_signals --------------------------------------------------------

unblocked_signals::unblocked_signals(const signal_watch& watch) noexcept {
  sigset_t handled;
  sigemptyset(&handled);
  if (watch.behavior_ == signal_behavior::handle)
    for (std::size_t i = 0; i < kinds; ++i)
      if (watch.concerns(i))
        sigaddset(&handled, watched[i]);
  pthread_sigmask(SIG_UNBLOCK, &handled, &before_);
}

unblocked_signals::~unblocked_signals() {
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

} // namespace caf::rosia::detail
