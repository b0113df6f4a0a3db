// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/write_all.hpp"

#include "slow_pipe.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <string>
#include <thread>

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

namespace write_all_test {

using caf::rosia::detail::write_all;

namespace {

std::atomic<int> interruptions = 0;

} // namespace

TEST_CASE("a text is written completely to a non-blocking pipe", "[base]") {
  test::slow_pipe pipe;
  auto filled = pipe.fill();
  REQUIRE(::fcntl(pipe.writer(), F_SETFL, O_NONBLOCK) == 0);
  std::atomic<bool> written = false;
  std::thread writer{[&] { written = write_all(pipe.writer(), "the end"); }};
  CHECK(pipe.read(filled) == std::string(filled, '.'));
  CHECK(pipe.read(7) == "the end");
  writer.join();
  CHECK(written);
}

TEST_CASE("a text is written completely in spite of signals", "[base]") {
  test::slow_pipe pipe;
  auto filled = pipe.fill();
  struct sigaction action = {};
  struct sigaction before = {};
  action.sa_handler = [](int) { ++interruptions; }; // without SA_RESTART
  REQUIRE(::sigaction(SIGUSR2, &action, &before) == 0);
  std::atomic<bool> written = false;
  std::atomic<bool> over = false;
  std::thread writer{[&] {
    written = write_all(pipe.writer(), "the end");
    over = true;
  }};
  // Some of them arrive while it waits for space.
  while (interruptions < 100 && !over) {
    ::pthread_kill(writer.native_handle(), SIGUSR2);
    std::this_thread::yield();
  }
  CHECK_FALSE(over);
  if (!over) {
    CHECK(pipe.read(filled) == std::string(filled, '.'));
    CHECK(pipe.read(7) == "the end");
  }
  writer.join();
  CHECK(written);
  REQUIRE(::sigaction(SIGUSR2, &before, nullptr) == 0);
}

TEST_CASE("a text without a reader is not written", "[base]") {
  test::slow_pipe pipe;
  pipe.close_reader();
  CHECK_FALSE(write_all(pipe.writer(), "the end"));
  CHECK(errno == EPIPE);
}

} // namespace write_all_test
