// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The results of a shutdown's threads, and the threads of its guards.

#include "shutdown_support.hpp"

#include <memory>
#include <optional>
#include <type_traits>

#include <pthread.h>

namespace thread_result_test {

namespace {

void wait_for_end(std::stop_token token) {
  eventually([&] { return token.stop_requested(); });
}

template <class T>
std::string no_result_of(rosia::thread_result<T>& x) {
  return error_of<rosia::no_thread_result>([&] { x.get(); });
}

} // namespace

// -- results ------------------------------------------------------------------

TEST_CASE("shutdown: the result of a thread is its return value, of any type",
          "[shutdown]") {
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  auto text = x.spawn_temporary("text", [](std::stop_token) {
    return std::string{"done"};
  });
  static_assert(
    std::is_same_v<decltype(text), rosia::thread_result<std::string>>);
  CHECK(text.valid());
  CHECK(text.name() == "text");
  CHECK(text.get() == "done");
  CHECK_FALSE(text.valid());
  auto unique = x.spawn_temporary(
    "unique", [held = std::make_unique<int>(7)](std::stop_token) mutable {
      return std::move(held);
    });
  CHECK(*unique.get() == 7);
  auto nothing = x.spawn_temporary("nothing", [](std::stop_token) {});
  static_assert(std::is_void_v<decltype(nothing.get())>);
  nothing.get();
  static const std::string constant = "constant";
  auto copy = x.spawn_temporary(
    "copy", [](std::stop_token) -> const std::string& { return constant; });
  static_assert(std::is_same_v<decltype(copy.get()), std::string>);
  CHECK(copy.get() == "constant");
  auto waits = x.spawn_thread("waits", [](std::stop_token token) {
    wait_for_end(token);
    return 42;
  });
  CHECK_FALSE(waits.is_ready());
  CHECK_FALSE(waits.wait_for(0s));
  x.begin();
  CHECK(waits.wait_for(10min));
  CHECK(waits.is_ready());
  CHECK(x.wait_for_shutdown() == 0);
  CHECK(waits.get() == 42);
}

TEST_CASE("shutdown: the result of a thread that throws is its exception, and "
          "the shutdown began",
          "[shutdown]") {
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  auto result = x.spawn_temporary("bad", [](std::stop_token) -> int {
    throw std::out_of_range("no route");
  });
  CHECK(error_of<std::out_of_range>([&] { result.get(); }) == "no route");
  CHECK_FALSE(result.valid());
  CHECK(x.status().reason.text == "thread 'bad' failed: no route");
  CHECK(x.wait_for_shutdown() == 1);
}

TEST_CASE("shutdown: the result of a thread makes all its effects visible",
          "[shutdown]") {
  auto held = std::make_shared<int>(1);
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  auto brief = x.spawn_temporary("brief", [held](std::stop_token) {});
  brief.get();
  CHECK(held.use_count() == 1);
  CHECK(x.status().parts.empty());
  auto server = x.spawn_thread("server", [](std::stop_token) {});
  server.get();
  CHECK(x.status().reason.text == "thread 'server' returned");
  CHECK(x.wait_for_shutdown() == 0);
}

TEST_CASE("shutdown: a result may be dropped, replaced and moved without "
          "waiting for the thread",
          "[shutdown]") {
  std::atomic<bool> let_go = false;
  std::atomic<int> ended = 0;
  auto in_result = std::make_shared<int>(1);
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  auto spawn = [&] {
    return x.spawn_temporary("slow", [&, in_result](std::stop_token) {
      eventually([&] { return let_go.load(); });
      ++ended;
      return in_result;
    });
  };
  spawn();
  auto a = spawn();
  a = spawn();
  auto b = std::move(a);
  CHECK_FALSE(a.valid());
  a = {};
  CHECK(ended == 0);
  let_go = true;
  CHECK(b.get() == in_result);
  x.begin();
  CHECK(x.wait_for_shutdown() == 0);
  CHECK(ended == 3);
  CHECK(in_result.use_count() == 1);
}

TEST_CASE("shutdown: a result without a thread reports that", "[shutdown]") {
  rosia::thread_result<int> empty;
  CHECK_FALSE(empty.valid());
  CHECK_THROWS_AS(empty.get(), std::logic_error);
  CHECK_THROWS_AS(empty.wait(), std::logic_error);
  CHECK_THROWS_AS(empty.name(), std::logic_error);
  CHECK_THROWS_AS(empty.is_ready(), std::logic_error);
}

TEST_CASE("shutdown: a thread that was never started has no result, and its "
          "function is destroyed",
          "[shutdown]") {
  auto held = std::make_shared<int>(1);
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  auto guard = x.temporary("guard");
  guard.drop();
  x.begin();
  CHECK(x.wait_for_shutdown() == 0);
  auto late = x.spawn_thread("late", [held](std::stop_token) { return 1; });
  CHECK(held.use_count() == 1);
  CHECK(late.is_ready());
  CHECK(no_result_of(late)
        == "thread 'late' has no result: it was not started, because the "
           "shutdown has finished");
  CHECK_FALSE(late.valid());
}

TEST_CASE("shutdown: waiting for a result takes no longer than the shutdown's "
          "wait for the thread",
          "[shutdown]") {
  std::atomic<bool> let_go = false;
  std::atomic<int> returned = 0;
  std::string heard;
  {
    test_system sys;
    auto opts = quiet();
    opts.deadline = 10ms;
    opts.grace_period = 10ms;
    rosia::shutdown x{sys, opts};
    auto stuck = x.spawn_thread("stuck", [&](std::stop_token) {
      eventually([&] { return let_go.load(); });
      ++returned;
      return 1;
    });
    std::jthread waiter{[&] { heard = no_result_of(stuck); }};
    x.begin();
    CHECK(x.wait_for_shutdown() == 129);
    waiter.join();
    CHECK(heard
          == "thread 'stuck' has no result: it has not returned before the end "
             "of the shutdown");
    let_go = true;
    CHECK(eventually([&] { return returned == 1; }));
  }
}

TEST_CASE("shutdown: a thread that waits for its own result is left behind",
          "[shutdown]") {
  std::promise<rosia::thread_result<int>> own;
  std::atomic<bool> is_over = false;
  test_system sys;
  auto opts = quiet();
  opts.deadline = 10ms;
  opts.grace_period = 10ms;
  rosia::shutdown x{sys, opts};
  own.set_value(x.spawn_thread("self", [&](std::stop_token) {
    auto mine = own.get_future().get();
    try {
      mine.get();
    } catch (const rosia::no_thread_result&) {
      is_over = true;
    }
    return 1;
  }));
  x.begin();
  CHECK(x.wait_for_shutdown() == 129);
  CHECK(eventually([&] { return is_over.load(); }));
}

TEST_CASE(
  "shutdown: a result may be a guard, or the last reference to the shutdown",
  "[shutdown]") {
  auto dropped = GENERATE(true, false);
  test_system sys;
  auto x = std::make_shared<std::optional<rosia::shutdown>>();
  x->emplace(sys, quiet());
  auto result = (*x)->spawn_temporary("maker", [x](std::stop_token) {
    return (*x)->temporary("made");
  });
  if (dropped) {
    result = {};
  } else {
    auto guard = result.get();
    (*x)->begin();
    CHECK(eventually([&] { return (*x)->status().stage == "threads"; }));
    CHECK((*x)->status().parts.at(0).name == "made");
  }
  (*x)->begin();
  CHECK((*x)->wait_for_shutdown() == 0);
  x->reset();
}

TEST_CASE("shutdown: a result whose destructor queries the shutdown is "
          "destroyed without its lock",
          "[shutdown]") {
  struct asker {
    explicit asker(rosia::shutdown& x) : all(&x) {
      // nop
    }

    asker(asker&& other) noexcept : all(std::exchange(other.all, nullptr)) {
      // nop
    }

    ~asker() {
      if (all != nullptr)
        all->status();
    }

    rosia::shutdown* all;
  };
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  // Only the threads have the results, and the functions that refuse them.
  for (auto i = 0; i < 100; ++i)
    x.spawn_temporary("asker", [&x](std::stop_token) { return asker{x}; });
  x.begin();
  CHECK(x.wait_for_shutdown() == 0);
  x.spawn_temporary(
    "late", [held = std::make_shared<asker>(x)](std::stop_token) {});
}

// -- the threads of guards
// ------------------------------------------------------

TEST_CASE("shutdown: a guard spawns threads, which are named after it",
          "[shutdown]") {
  std::atomic<bool> let_go = false;
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  auto guard = x.guard("pool");
  auto child = guard.child("reader");
  auto result = child.spawn_temporary("decode", [&](std::stop_token) {
    eventually([&] { return let_go.load(); });
    return 5;
  });
  CHECK(result.name() == "pool/reader/decode");
  auto report = x.status();
  REQUIRE(report.parts.size() == 3);
  CHECK(to_string(report.parts[2])
        == "thread 'pool/reader/decode': runs, phase 'threads'");
  let_go = true;
  CHECK(result.get() == 5);
  CHECK_FALSE(x.token().stop_requested());
  guard.spawn_thread("feed", [](std::stop_token) {}).get();
  CHECK(x.status().reason.text == "thread 'pool/feed' returned");
  guard.drop();
  child.drop();
  CHECK(x.wait_for_shutdown() == 0);
}

TEST_CASE("shutdown: a guard's thread may outlive its guard, and the shutdown "
          "waits for both",
          "[shutdown]") {
  std::atomic<bool> let_go = false;
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  auto guard = x.temporary("session");
  auto result = guard.spawn_thread("reader", [&](std::stop_token token) {
    wait_for_end(token);
    eventually([&] { return let_go.load(); });
  });
  guard.drop();
  CHECK_FALSE(x.token().stop_requested());
  CHECK(error_of<std::logic_error>([&] {
          guard.spawn_thread("late", [](std::stop_token) {});
        })
        == "thread 'late' has a guard that was dropped");
  CHECK_THROWS_AS(
    guard.spawn_temporary("late", [](std::stop_token) {}), std::logic_error);
  x.begin();
  CHECK(eventually([&] { return x.status().stage == "threads"; }));
  CHECK(x.status().parts.size() == 1);
  let_go = true;
  CHECK(x.wait_for_shutdown() == 0);
  CHECK(result.is_ready());
}

TEST_CASE("shutdown: a guard that outlives its shutdown starts no threads",
          "[shutdown]") {
  test_system sys;
  rosia::shutdown_guard guard;
  auto opts = quiet();
  opts.deadline = 10ms;
  opts.grace_period = 10ms;
  {
    rosia::shutdown x{sys, opts};
    guard = x.guard("held");
  }
  auto late = guard.spawn_thread("late", [](std::stop_token) { return 1; });
  CHECK(no_result_of(late)
        == "thread 'held/late' has no result: it was not started, because the "
           "shutdown has finished");
}

TEST_CASE("shutdown: a function that ends its thread is an error, and does not "
          "prevent the end",
          "[shutdown]") {
  error_capture capture;
  CHECK(
    status_in_child([] {
      test_system sys;
      auto opts = quiet();
      opts.end_process = true;
      opts.log_level = "error";
      opts.deadline = opts.grace_period = 100ms;
      rosia::shutdown x{sys, opts};
      x.spawn_thread("ends", [](std::stop_token) { ::pthread_exit(nullptr); });
      return x.wait_for_shutdown();
    })
    == 129);
  CHECK_THAT(
    capture.text(),
    ContainsSubstring("thread 'ends' failed: the code ended its thread "
                      "(pthread_exit, pthread_cancel) instead of returning"));
}

} // namespace thread_result_test
