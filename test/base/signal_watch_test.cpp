// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Which signals count, and how inherited signals are handled.

#include "base/signal_watch.hpp"

#include "caf/rosia/detail/event_descriptor.hpp"
#include "observing.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

namespace signal_watch_test {

using rosia::signal_behavior;
using rosia::detail::event_descriptor;
using rosia::detail::signal_watch;
using rosia::detail::unblocked_signals;

namespace {

/// Handles signals, and records those that count.
class listener {
public:
  explicit listener(signal_behavior behavior = signal_behavior::handle)
    : watch(behavior, wake_.get(), true) {
    // nop
  }

  std::size_t count() {
    watch.collect([this](int signal) { taken.push_back(signal); });
    return taken.size();
  }

  std::vector<int> taken;

private:
  event_descriptor wake_;

public:
  signal_watch watch;
};

/// The usual signals, independent of Catch's handlers.
constexpr std::array<int, 5> usual{SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ};

/// Writes to a pipe without a reader. @returns the error.
int write_without_reader() {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0)
    return -1;
  ::close(ends[0]);
  auto result = ::write(ends[1], "x", 1) < 0 ? errno : 0;
  ::close(ends[1]);
  return result;
}

/// Writes to a file beyond the process's limit. @returns the error.
int write_beyond_limit() {
  rlimit limit{4, RLIM_INFINITY};
  auto* file = std::tmpfile();
  if (file == nullptr || ::setrlimit(RLIMIT_FSIZE, &limit) != 0)
    return -1;
  auto fd = ::fileno(file);
  if (::write(fd, "four", 4) != 4)
    return -2;
  auto result = ::write(fd, "five", 4) < 0 ? errno : 0;
  std::fclose(file);
  return result;
}

bool is_blocked(int signal) {
  sigset_t now;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &now);
  return ::sigismember(&now, signal) == 1;
}

} // namespace

TEST_CASE(
  "signals that soon follow a request for the end belong to the same request",
  "[signals]") {
  listener x;
  auto first = GENERATE(SIGINT, SIGTERM, SIGHUP);
  std::raise(first);
  for (auto i = 0; i < 3; ++i)
    for (auto signal : {SIGINT, SIGTERM, SIGHUP})
      std::raise(signal);
  CHECK(x.count() == 1);
  std::raise(SIGTERM);
  CHECK(x.count() == 1);
  CHECK(x.taken == std::vector{first});
  // Later ones all count.
  CHECK(eventually([&] {
    std::raise(SIGINT);
    return x.count() == 2;
  }));
  std::raise(SIGINT);
  CHECK(x.count() == 3);
}

TEST_CASE(
  "a watch created after a request takes the next signal for the first one",
  "[signals]") {
  listener x;
  std::raise(SIGTERM);
  CHECK(x.count() == 1);
  {
    listener y;
    std::raise(SIGTERM);
    CHECK(y.count() == 1);
  }
  listener z;
  std::raise(SIGTERM);
  CHECK(z.count() == 1);
  CHECK(x.count() == 1);
}

TEST_CASE("all requests for reports count, however soon they follow each other",
          "[signals]") {
  listener x;
  std::raise(SIGTERM);
  for (auto i = 0; i < 3; ++i)
    std::raise(SIGUSR1);
  CHECK(x.count() == 4);
}

TEST_CASE("when signals are handled, a failed write is an error, and does not "
          "end the process",
          "[signals]") {
  auto behavior = GENERATE(signal_behavior::handle, signal_behavior::ignore);
  auto status = status_in_child([behavior] {
    for (auto signal : usual)
      std::signal(signal, SIG_DFL);
    {
      listener x{behavior};
      if (write_without_reader() != EPIPE)
        return 1;
      if (write_beyond_limit() != EFBIG)
        return 2;
      // Child processes have the default handlers.
      if (handler_of(SIGPIPE) == SIG_IGN || handler_of(SIGXFSZ) == SIG_IGN)
        return 3;
    }
    if (handler_of(SIGPIPE) != SIG_DFL || handler_of(SIGXFSZ) != SIG_DFL)
      return 4;
    return 0;
  });
  CHECK(status == 0);
}

TEST_CASE("a failed write does not end a process that was asked to end",
          "[signals]") {
  auto status = status_in_child([] {
    for (auto signal : usual)
      std::signal(signal, SIG_DFL);
    {
      listener x;
      std::raise(SIGINT);
    }
    return write_without_reader() == EPIPE ? 0 : 1;
  });
  CHECK(status == 0);
}

TEST_CASE("the program's handling of failed writes is not changed",
          "[signals]") {
  static std::atomic<int> own = 0;
  auto previous = std::signal(SIGPIPE, [](int) { ++own; });
  own = 0;
  {
    listener x;
    CHECK(write_without_reader() == EPIPE);
  }
  CHECK(own == 1);
  CHECK(write_without_reader() == EPIPE);
  CHECK(own == 2);
  std::signal(SIGPIPE, SIG_IGN);
  {
    listener x;
    CHECK(handler_of(SIGPIPE) == SIG_IGN);
  }
  CHECK(handler_of(SIGPIPE) == SIG_IGN);
  std::signal(SIGPIPE, previous);
}

TEST_CASE(
  "signals that were inherited as blocked are unblocked where they are handled",
  "[signals]") {
  auto signal = GENERATE(SIGINT, SIGTERM, SIGHUP, SIGUSR1);
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, signal);
  sigaddset(&blocked, SIGUSR2);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  {
    listener x;
    std::raise(signal);
    CHECK(x.count() == 0);
    {
      unblocked_signals unblocked{x.watch};
      CHECK(x.count() == 1);
      CHECK_FALSE(is_blocked(signal));
      CHECK(is_blocked(SIGUSR2)); // not handled
    }
    CHECK(is_blocked(signal));
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST_CASE("signals that are not handled stay blocked", "[signals]") {
  auto behavior = GENERATE(signal_behavior::ignore, signal_behavior::none);
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  {
    listener x{behavior};
    unblocked_signals unblocked{x.watch};
    CHECK(is_blocked(SIGTERM));
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

} // namespace signal_watch_test
