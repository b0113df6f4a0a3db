// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Starts of an actor system in a process without free threads.

#include "compat/without_thread.hpp"

#include "caf_version.hpp"
#include "refused_threads.hpp"
#include "slow_pipe.hpp"
#include "support.hpp"

#include <thread>

#include <sys/time.h>
#include <unistd.h>

namespace without_thread_test {

namespace {

using test::threads_left;

/// If the process hangs, it exits with a separate status.
void end_after_a_minute() {
  std::thread{[] {
    std::this_thread::sleep_for(1min);
    std::_Exit(7);
  }}.detach();
}

/// @param more number of threads that are available.
int start_without_threads(int more) {
  rosia::config cfg;
  caf::rosia::detail::guard_modules(cfg, "program");
  [[maybe_unused]] caf::rosia::detail::start_guard starting;
  // If CAF 1 cannot start its first thread, it throws an exception that
  // programs may catch.
  threads_left = (test::caf_is_1 ? 1 : 0) + more;
  caf::actor_system sys{cfg};
  return 8;
}

} // namespace

/// Replaces the C library's function with an early alarm.
extern "C" unsigned alarm(unsigned seconds) noexcept {
  itimerval timer{{0, 0}, {0, seconds > 0 ? 10'000 : 0}};
  ::setitimer(ITIMER_REAL, &timer, nullptr);
  return 0;
}

TEST_CASE("a failed start reports the missing thread", "[compat]") {
  auto more = GENERATE(range(0, 4));
  error_capture capture;
  CHECK(status_in_child([=] { return start_without_threads(more); }) == 1);
  CHECK_THAT(capture.text(),
             ContainsSubstring("program: cannot start the actor system")
               && ContainsSubstring("ulimit -u"));
}

TEST_CASE("a failed start ends the process, even if its output is not read",
          "[compat]") {
  auto status = status_in_child([] {
    test::slow_pipe pipe;
    pipe.fill();
    if (::dup2(pipe.writer(), STDERR_FILENO) < 0)
      return 9;
    end_after_a_minute();
    return start_without_threads(0);
  });
  CHECK(status == 1);
}

} // namespace without_thread_test
