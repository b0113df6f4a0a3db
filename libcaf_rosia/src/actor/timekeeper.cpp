// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/actor/timekeeper.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <system_error>
#include <utility>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace caf::rosia::detail {

namespace {

constexpr std::array handled_signals{SIGINT, SIGTERM, SIGUSR1};

// What the signal handler may touch.
std::atomic<int> signal_fd{-1};
std::array<std::atomic<int>, handled_signals.size()> signal_counts;

static_assert(std::atomic<int>::is_always_lock_free);

extern "C" void rosia_on_signal(int signal) {
  auto saved = errno;
  for (std::size_t i = 0; i < handled_signals.size(); ++i)
    if (handled_signals[i] == signal)
      signal_counts[i].fetch_add(1);
  std::uint64_t one = 1;
  if (auto fd = signal_fd.load(); fd >= 0)
    static_cast<void>(!::write(fd, &one, sizeof(one)));
  errno = saved;
}

/// Takes the process's signals over, and gives them back.
class signal_scope {
public:
  signal_scope(signal_behavior what, int fd) {
    if (what == signal_behavior::none)
      return;
    if (what == signal_behavior::handle) {
      auto nobody = -1;
      // A second application in this process leaves them to the first.
      if (!signal_fd.compare_exchange_strong(nobody, fd))
        return;
      owner_ = true;
      for (auto& x : signal_counts)
        x.store(0);
    }
    struct sigaction action = {};
    action.sa_handler
      = what == signal_behavior::handle ? rosia_on_signal : SIG_IGN;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    for (std::size_t i = 0; i < handled_signals.size(); ++i)
      sigaction(
        handled_signals[i],
        what == signal_behavior::ignore && handled_signals[i] == SIGUSR1
          ? nullptr
          : &action,
        &previous_[i]);
    installed_ = true;
  }

  signal_scope(const signal_scope&) = delete;

  signal_scope& operator=(const signal_scope&) = delete;

  ~signal_scope() {
    if (installed_)
      for (std::size_t i = 0; i < handled_signals.size(); ++i)
        sigaction(handled_signals[i], &previous_[i], nullptr);
    if (owner_)
      signal_fd.store(-1);
  }

  /// The signals that came since the last call.
  template <class Fun>
  void collect(Fun&& fun) {
    if (!owner_)
      return;
    for (std::size_t i = 0; i < handled_signals.size(); ++i)
      for (auto n = signal_counts[i].exchange(0); n > 0; --n)
        fun(handled_signals[i]);
  }

private:
  bool installed_ = false;
  bool owner_ = false;
  std::array<struct sigaction, handled_signals.size()> previous_{};
};

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

timekeeper::timekeeper() : event_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (event_fd_ < 0)
    throw std::system_error(
      errno, std::generic_category(),
      "cannot create an event descriptor (eventfd)");
}

timekeeper::~timekeeper() {
  ::close(event_fd_);
}

// -- time ---------------------------------------------------------------------

void timekeeper::start() {
  start_ = clock::now();
  started_ = true;
}

std::int64_t timekeeper::coarse_elapsed() const noexcept {
  // Of the same origin as the steady clock.
  timespec now{};
  if (!started_ || clock_gettime(CLOCK_MONOTONIC_COARSE, &now) != 0)
    return 0;
  auto since_boot
    = std::chrono::seconds{now.tv_sec} + std::chrono::nanoseconds{now.tv_nsec};
  return std::max<std::int64_t>(
    (since_boot - start_.time_since_epoch()).count(), 0);
}

// -- requests -----------------------------------------------------------------

void timekeeper::wake_at(std::uint32_t node, std::int64_t ns) {
  std::lock_guard guard{mutex_};
  wakes_.push({ns, node});
  if (ns < waiting_for_)
    notify();
}

std::uint64_t timekeeper::call_at(std::int64_t ns, std::function<void()> what) {
  std::lock_guard guard{mutex_};
  calls_.push_back({ns, ++calls_made_, std::move(what)});
  if (ns < waiting_for_)
    notify();
  return calls_made_;
}

void timekeeper::cancel(std::uint64_t call) {
  std::lock_guard guard{mutex_};
  std::erase_if(calls_, [call](auto& x) { return x.number == call; });
}

void timekeeper::finish() {
  std::lock_guard guard{mutex_};
  finished_ = true;
  notify();
}

// -- waiting ------------------------------------------------------------------

void timekeeper::run(const events& on, signal_behavior signals) {
  signal_scope scope{signals, event_fd_};
  precise_waits precise;
  on.begin();
  auto count = 0;
  std::vector<std::uint32_t> nodes;
  std::vector<std::function<void()>> calls;
  for (;;) {
    scope.collect([&](int signal) {
      if (signal == SIGUSR1)
        on.report();
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
        calls.push_back(std::move(x.what));
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

void timekeeper::notify() noexcept {
  std::uint64_t one = 1;
  static_cast<void>(!::write(event_fd_, &one, sizeof(one)));
}

void timekeeper::wait_until(std::int64_t ns) {
  pollfd fd{event_fd_, POLLIN, 0};
  timespec timeout{};
  if (ns != no_time) {
    auto rest = std::max<std::int64_t>(ns - elapsed(), 0);
    timeout.tv_sec = rest / 1'000'000'000;
    timeout.tv_nsec = rest % 1'000'000'000;
  }
  if (::ppoll(&fd, 1, ns == no_time ? nullptr : &timeout, nullptr) > 0) {
    std::uint64_t ignored = 0;
    static_cast<void>(!::read(event_fd_, &ignored, sizeof(ignored)));
  }
}

} // namespace caf::rosia::detail
