// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Shutdowns in a process without free threads.

#include "refused_threads.hpp"
#include "shutdown_support.hpp"

#include <csignal>
#include <system_error>

namespace refused_threads_test {

namespace {

using test::threads_left;

/// @returns the status of a shutdown that can start no threads from now on.
template <class Fun>
int status_without_threads(rosia::shutdown& x, Fun&& begin) {
  threads_left = 0;
  begin();
  auto result = x.wait_for_shutdown();
  threads_left = -1;
  return result;
}

} // namespace

TEST_CASE("shutdown: it can begin, and end, when there are no threads left",
          "[shutdown]") {
  auto status = status_in_child([] {
    test_system sys;
    auto opts = quiet();
    opts.end_process = true;
    rosia::shutdown x{sys, opts};
    return status_without_threads(x, [&] { x.begin({"done", 3}); });
  });
  CHECK(status == 3);
}

TEST_CASE(
  "shutdown: a signal, or an abort, ends it when there are no threads left",
  "[shutdown]") {
  auto aborted = GENERATE(true, false);
  auto status = status_in_child([aborted] {
    test_system sys;
    shutdown_options opts;
    opts.log_level = "critical";
    rosia::shutdown x{sys, opts};
    return status_without_threads(x, [&] {
      if (aborted)
        x.abort(5);
      else
        std::raise(SIGTERM);
    });
  });
  CHECK(status == (aborted ? 5 : 0));
}

TEST_CASE("shutdown: a function that needs an unavailable thread fails",
          "[shutdown]") {
  error_capture capture;
  auto status = status_in_child([] {
    test_system sys;
    shutdown_options opts;
    opts.signals = rosia::signal_behavior::none;
    rosia::shutdown x{sys, opts};
    x.on("threads", "last words", [](const rosia::shutdown_reason&) {});
    return status_without_threads(x, [&] { x.begin(); });
  });
  CHECK(status == 1);
  CHECK_THAT(
    capture.text(),
    ContainsSubstring("function 'last words' failed: Resource temporarily"));
}

TEST_CASE("shutdown: an unavailable thread is an error, also after other "
          "threads ended",
          "[shutdown]") {
  test_system sys;
  auto opts = quiet();
  rosia::shutdown x{sys, opts};
  auto before = test::files_in("/proc/self/task");
  std::atomic<bool> has_run = false;
  x.spawn_temporary("first", [&](const std::stop_token&) { has_run = true; });
  REQUIRE(eventually([&] {
    return has_run && test::files_in("/proc/self/task") <= before;
  }));
  threads_left = 0;
  auto second = [](const std::stop_token&) {};
  CHECK_THROWS_AS(x.spawn_temporary("second", second), std::system_error);
  threads_left = -1;
  CHECK(x.status().parts.empty());
}

TEST_CASE("shutdown: a shutdown without a thread is not constructed, and "
          "leaves no resources behind",
          "[shutdown]") {
  for (auto left : {0, 1}) {
    CAPTURE(left);
    test_system sys;
    auto before = test::files_in("/proc/self/task");
    struct sigaction handler = {};
    REQUIRE(::sigaction(SIGTERM, nullptr, &handler) == 0);
    shutdown_options opts;
    opts.log_level = "critical";
    threads_left = left;
    CHECK_THROWS_AS(rosia::shutdown(sys, opts), std::system_error);
    threads_left = -1;
    // Fewer if threads of the previous system were still ending.
    CHECK(
      eventually([&] { return test::files_in("/proc/self/task") <= before; }));
    struct sigaction now = {};
    REQUIRE(::sigaction(SIGTERM, nullptr, &now) == 0);
    CHECK(now.sa_handler == handler.sa_handler);
  }
}

} // namespace refused_threads_test
