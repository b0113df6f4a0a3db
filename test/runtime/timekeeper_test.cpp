// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/timekeeper.hpp"

#include "catch.hpp"
#include "distinct_signals.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>
#include <utility>
#include <vector>

#include <unistd.h>

namespace timekeeper_test {

using caf::rosia::signal_behavior;
using caf::rosia::detail::signal_watch;
using caf::rosia::detail::timekeeper;
using namespace std::chrono_literals;

namespace {

constexpr std::int64_t ms = 1'000'000;

// Serves requests in the calling thread, and records the events with their
// times.
struct clerk {
  clerk() {
    time.start();
  }

  void run(signal_behavior signals = signal_behavior::none,
           bool sighup = false) {
    signal_watch watch{signals, time.descriptor(), sighup};
    time.run(
      {[] {},
       [this](std::uint32_t node) {
         woken.emplace_back(node, time.elapsed());
         if (node == last)
           time.finish();
       },
       [this](int signal, int count) {
         caught.emplace_back(signal, count);
         if (count == most_signals)
           time.finish();
       },
       [this] { ++reports; }},
      watch);
  }

  timekeeper time;
  std::uint32_t last = 99;
  int most_signals = 1;
  int reports = 0;
  std::vector<std::pair<std::uint32_t, std::int64_t>> woken;
  std::vector<std::pair<int, int>> caught;
};

} // namespace

TEST_CASE("no time passes before the start", "[timekeeper]") {
  timekeeper time;
  CHECK(time.elapsed() == 0);
  std::this_thread::sleep_for(1ms);
  CHECK(time.elapsed() == 0);
  time.start();
  auto first = time.elapsed();
  CHECK(first >= 0);
  std::this_thread::sleep_for(1ms);
  CHECK(time.elapsed() >= first + ms);
}

TEST_CASE("nodes are woken in the order of their times, and not early",
          "[timekeeper]") {
  clerk x;
  x.time.wake_at(99, 9 * ms);
  x.time.wake_at(1, 5 * ms);
  x.time.wake_at(2, 2 * ms);
  x.time.wake_at(3, -5);
  x.time.wake_at(1, 7 * ms);
  x.run();
  REQUIRE(x.woken.size() == 5);
  CHECK(x.woken[0].first == 3);
  CHECK(x.woken[1].first == 2);
  CHECK(x.woken[2].first == 1);
  CHECK(x.woken[3].first == 1);
  CHECK(x.woken[4].first == 99);
  CHECK(x.woken[1].second >= 2 * ms);
  CHECK(x.woken[2].second >= 5 * ms);
  CHECK(x.woken[3].second >= 7 * ms);
  CHECK(x.woken[4].second >= 9 * ms);
}

TEST_CASE("calls are made when they are due, unless they are cancelled",
          "[timekeeper]") {
  clerk x;
  std::vector<int> made;
  x.time.call_at(2 * ms, [&] {
    CHECK(x.time.elapsed() >= 2 * ms);
    made.push_back(2);
    // A call may make further requests.
    x.time.call_at(0, [&] { made.push_back(3); });
    x.time.wake_at(99, 0);
  });
  auto never = x.time.call_at(1 * ms, [&] { made.push_back(1); });
  auto far = x.time.call_at(3600 * 1000 * ms, [&] { made.push_back(4); });
  CHECK(never != far);
  x.time.cancel(never);
  x.time.cancel(far);
  x.time.cancel(12345);
  x.run();
  REQUIRE(!made.empty());
  CHECK(made[0] == 2);
  CHECK(std::count(made.begin(), made.end(), 1) == 0);
  CHECK(std::count(made.begin(), made.end(), 4) == 0);
}

TEST_CASE(
  "a deadline that passes while the process is stopped is postponed once",
  "[timekeeper]") {
  clerk x;
  std::vector<int> made;
  // The thread is blocked long after the requests are due.
  x.time.call_at(0, [&] {
    auto begin = x.time.elapsed();
    x.time.deadline_at(begin + 1 * ms, [&, begin] {
      CHECK(x.time.elapsed() > begin + 1250 * ms);
      made.push_back(2);
      x.time.wake_at(99, 0);
    });
    auto cancelled
      = x.time.deadline_at(begin + 1 * ms, [&] { made.push_back(3); });
    x.time.call_at(begin + 1 * ms, [&, cancelled] {
      made.push_back(1);
      x.time.cancel(cancelled);
    });
    while (x.time.elapsed() <= begin + 250 * ms)
      std::this_thread::yield();
  });
  x.run();
  CHECK(made == std::vector{1, 2});
}

TEST_CASE("a deadline that is noticed in time is not postponed",
          "[timekeeper]") {
  clerk x;
  std::int64_t at = 0;
  x.time.deadline_at(1 * ms, [&] {
    at = x.time.elapsed();
    x.time.finish();
  });
  x.run();
  // Unless this machine was stopped itself.
  CHECK((at < 101 * ms || at > 1100 * ms));
}

TEST_CASE("a request from another thread ends a longer wait", "[timekeeper]") {
  for (int i = 0; i < 50; ++i) {
    clerk x;
    x.time.wake_at(1, 3600 * 1000 * ms);
    std::thread other{[&] {
      if (i % 3 == 0)
        x.time.wake_at(99, 0);
      else if (i % 3 == 1)
        x.time.call_at(0, [&] { x.time.finish(); });
      else
        x.time.finish();
    }};
    x.run();
    other.join();
    for (auto& w : x.woken)
      CHECK(w.first == 99);
  }
}

TEST_CASE("a finish before the run is not forgotten", "[timekeeper]") {
  clerk x;
  x.time.wake_at(1, 0);
  x.time.finish();
  x.run();
  CHECK(x.woken.empty());
}

TEST_CASE("requests of many threads are all served", "[timekeeper]") {
  constexpr int threads = 4;
  constexpr int requests = 500;
  clerk x;
  std::atomic<int> finished = 0;
  std::atomic<int> calls = 0;
  std::vector<std::thread> others;
  for (int t = 0; t < threads; ++t)
    others.emplace_back([&, t] {
      for (int i = 0; i < requests; ++i) {
        x.time.wake_at(
          static_cast<std::uint32_t>(t), x.time.elapsed() + (i % 7) * 10'000);
        x.time.call_at(x.time.elapsed() + (i % 5) * 10'000, [&] { ++calls; });
      }
      if (++finished == threads)
        x.time.wake_at(99, x.time.elapsed() + 5 * ms);
    });
  x.run();
  for (auto& y : others)
    y.join();
  CHECK(x.woken.size() == threads * requests + 1);
  CHECK(calls == threads * requests);
}

TEST_CASE(
  "signals are counted, and the process's handlers are restored afterwards",
  "[timekeeper]") {
  static std::atomic<int> own = 0;
  auto previous = std::signal(SIGTERM, [](int) { ++own; });
  own = 0;
  {
    test::distinct_signals distinct;
    clerk x;
    x.most_signals = 3;
    x.time.call_at(0, [] { std::raise(SIGTERM); });
    x.time.call_at(1 * ms, [] { std::raise(SIGINT); });
    x.time.call_at(2 * ms, [] { std::raise(SIGTERM); });
    x.run(signal_behavior::handle);
    CHECK(x.caught
          == std::vector<std::pair<int, int>>{
            {SIGTERM, 1}, {SIGINT, 2}, {SIGTERM, 3}});
  }
  CHECK(own == 0);
  std::raise(SIGTERM);
  CHECK(own == 1);
  std::signal(SIGTERM, previous);
}

TEST_CASE(
  "two timekeepers that handle signals both get them, whichever ends first",
  "[timekeeper]") {
  static std::atomic<int> own = 0;
  auto previous = std::signal(SIGINT, [](int) { ++own; });
  own = 0;
  {
    test::distinct_signals distinct;
    clerk first;
    clerk second;
    first.time.call_at(0, [&] {
      // Runs within the first one's run, as on another thread.
      second.time.call_at(0, [] { std::raise(SIGINT); });
      second.run(signal_behavior::handle);
      CHECK(second.caught == std::vector<std::pair<int, int>>{{SIGINT, 1}});
    });
    first.most_signals = 2;
    // After the end of the second one, the first one still gets them.
    first.time.call_at(1, [] { std::raise(SIGINT); });
    first.run(signal_behavior::handle);
    CHECK(first.caught
          == std::vector<std::pair<int, int>>{{SIGINT, 1}, {SIGINT, 2}});
  }
  CHECK(own == 0);
  std::raise(SIGINT);
  CHECK(own == 1);
  std::signal(SIGINT, previous);
}

TEST_CASE("ignoring signals does not keep other timekeepers from handling them",
          "[timekeeper]") {
  static std::atomic<int> own = 0;
  auto previous = std::signal(SIGTERM, [](int) { ++own; });
  own = 0;
  {
    clerk ignoring;
    clerk handling;
    ignoring.time.call_at(0, [&] {
      std::raise(SIGTERM);
      handling.time.call_at(0, [] { std::raise(SIGTERM); });
      handling.run(signal_behavior::handle);
      CHECK(handling.caught == std::vector<std::pair<int, int>>{{SIGTERM, 1}});
      // Ignored again.
      std::raise(SIGTERM);
      ignoring.time.finish();
    });
    ignoring.run(signal_behavior::ignore);
  }
  CHECK(own == 0);
  std::raise(SIGTERM);
  CHECK(own == 1);
  std::signal(SIGTERM, previous);
}

TEST_CASE("SIGHUP is handled, or ignored, only on request", "[timekeeper]") {
  static std::atomic<int> own = 0;
  auto previous = std::signal(SIGHUP, [](int) { ++own; });
  own = 0;
  auto wanted = GENERATE(true, false);
  {
    test::distinct_signals distinct;
    clerk first;
    clerk second;
    first.time.call_at(0, [&] {
      // The second one requests it, and the first one does not.
      second.time.call_at(0, [] { std::raise(SIGHUP); });
      second.time.call_at(1, [] { std::raise(SIGINT); });
      second.most_signals = wanted ? 2 : 1;
      second.run(signal_behavior::handle, wanted);
      CHECK(second.caught.size() == (wanted ? 2 : 1));
    });
    first.run(signal_behavior::handle);
    CHECK(first.caught == std::vector<std::pair<int, int>>{{SIGINT, 1}});
  }
  CHECK(own == (wanted ? 0 : 1));
  {
    clerk ignoring;
    ignoring.time.call_at(0, [&] {
      std::raise(SIGHUP);
      ignoring.time.finish();
    });
    ignoring.run(signal_behavior::ignore, wanted);
  }
  CHECK(own == (wanted ? 0 : 2));
  std::raise(SIGHUP);
  CHECK(own == (wanted ? 1 : 3));
  std::signal(SIGHUP, previous);
}

TEST_CASE("SIGHUP stays ignored under nohup", "[timekeeper]") {
  auto previous = std::signal(SIGHUP, SIG_IGN);
  {
    clerk x;
    x.time.call_at(0, [] {
      std::raise(SIGHUP);
      std::raise(SIGTERM);
    });
    x.run(signal_behavior::handle, true);
    CHECK(x.caught == std::vector<std::pair<int, int>>{{SIGTERM, 1}});
  }
  CHECK(std::signal(SIGHUP, previous) == SIG_IGN);
}

} // namespace timekeeper_test
